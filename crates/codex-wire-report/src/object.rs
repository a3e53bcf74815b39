//! Objects of JSON whose members keep the order in which they are written here, as those of `json!` do not.

/// A value that is written as an object with these members. A member can have attributes of serde.
macro_rules! object {
    ($($(#[$attribute:meta])* $name:ident: $value:expr),* $(,)?) => {{
        // A member has a type of its own, with the same name.
        #[allow(non_camel_case_types, non_snake_case)]
        let object = {
            #[derive(serde::Serialize)]
            struct Object<$($name),*> {
                $($(#[$attribute])* $name: $name),*
            }
            Object { $($name: $value),* }
        };
        object
    }};
}

pub(crate) use object;
