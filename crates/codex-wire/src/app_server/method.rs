//! Methods as types: the name, the params and the result of each.
//!
//! The types are in [`methods`](super::methods), one per method.

use serde::Serialize;

use crate::Wire;
use crate::app_server::side::Side;

/// A method.
pub trait Method {
    /// The name on the wire.
    const NAME: &'static str;

    /// Who sends it.
    type Sender: Side;

    /// Its `params`; `()` where it has none.
    type Params;

    /// The methods of its kind, each with its params: this is one of them.
    type Call;

    /// The method with its params, ready to be put into a message.
    fn call(params: Self::Params) -> Self::Call;

    /// The params, if it is this method that is called.
    fn params(call: &Self::Call) -> Option<&Self::Params>;
}

/// A method that is answered.
pub trait Request: Method {
    /// The `result` of its answer.
    type Result: Wire + Serialize;
}

/// Makes the types of one kind of methods: `Name "wire/name" (Params) -> Result;`, without what
/// the method does not have.
macro_rules! methods {
    ($sender:ident: $call:ident { $($methods:tt)* }) => {
        $crate::app_server::method::methods!(@each $sender $call; $($methods)*);
    };
    (@each $sender:ident $call:ident; $(
        $(#[doc = $doc:literal])*
        $name:ident $method:literal $(($params:ty))? $(-> $result:ty)?;
    )*) => {$(
        $(#[doc = $doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct $name;

        $crate::app_server::method::methods!(@method $sender $call $name $method $(($params))?);

        $(
            impl $crate::app_server::method::Request for $name {
                type Result = $result;
            }
        )?
    )*};
    (@method $sender:ident $call:ident $name:ident $method:literal ($params:ty)) => {
        impl $crate::app_server::method::Method for $name {
            const NAME: &'static str = $method;
            type Sender = $crate::app_server::side::$sender;
            type Params = $params;
            type Call = $call;

            #[inline]
            fn call(params: $params) -> $call {
                $call::$name(params)
            }

            #[inline]
            fn params(call: &$call) -> Option<&$params> {
                match call {
                    $call::$name(params) => Some(params),
                    _ => None,
                }
            }
        }
    };
    (@method $sender:ident $call:ident $name:ident $method:literal) => {
        impl $crate::app_server::method::Method for $name {
            const NAME: &'static str = $method;
            type Sender = $crate::app_server::side::$sender;
            type Params = ();
            type Call = $call;

            #[inline]
            fn call((): ()) -> $call {
                $call::$name
            }

            #[inline]
            fn params(call: &$call) -> Option<&()> {
                matches!(call, $call::$name).then_some(&())
            }
        }
    };
}
pub(crate) use methods;
