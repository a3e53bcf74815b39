//! Methods as types: the name, the params and the result of each.
//!
//! The types are in [`methods`](super::methods), one per method.

use serde::Serialize;

use crate::app_server::side::Side;
use crate::private::{Contents, same};
use crate::{Availability, Protocol, Release, Wire};

/// A method.
pub trait Method {
    /// The name on the wire.
    const NAME: &'static str;

    /// Who sends it.
    type Sender: Side;

    /// Its `params`; `()` where it has none.
    type Params;

    /// The methods of its kind, each with its params: this is one of them.
    type Call: Contents;

    /// The releases that have it.
    ///
    /// ```
    /// use codex_wire::Release;
    /// use codex_wire::app_server::Method;
    /// use codex_wire::app_server::methods::client_requests::TurnSteer;
    ///
    /// assert_eq!(TurnSteer::AVAILABILITY.to_string(), "0.99.0 or later");
    /// assert!(!TurnSteer::AVAILABILITY.contains(Release::new(0, 98, 0)));
    /// ```
    const AVAILABILITY: Availability = availability::<Self::Call>(Self::NAME);

    /// The release that introduced it; `None` if the first release of the protocol had it.
    const SINCE: Option<Release> = Self::AVAILABILITY.range.since;

    /// The last release that had it; `None` if the newest release has it.
    const UNTIL: Option<Release> = Self::AVAILABILITY.range.until;

    /// The listed releases that have it, oldest first.
    fn releases() -> impl Iterator<Item = Release> {
        Self::AVAILABILITY.releases(Protocol::AppServer)
    }

    /// The method with its params, ready to be put into a message.
    fn call(params: Self::Params) -> Self::Call;

    /// The params, if it is this method that is called.
    fn params(call: &Self::Call) -> Option<&Self::Params>;
}

/// What the union of the methods says of one of them.
const fn availability<Call: Contents>(name: &str) -> Availability {
    let mut place = 0;
    while place < Call::VARIANTS.len() {
        if same(Call::VARIANTS[place].tag, name) {
            return Call::VARIANTS[place].availability;
        }
        place += 1;
    }
    // Evaluated by the compiler: such a method does not compile.
    panic!("the method is not one of its kind")
}

/// A method that is answered.
pub trait Request: Method {
    /// The `result` of its answer.
    type Result: Wire + Serialize;
}

/// Makes the types of one kind of methods: `Name "wire/name" (Params) -> Result;`, without what
/// the method does not have. `(box Params)` are behind a pointer in the union.
macro_rules! methods {
    ($sender:ident: $call:ident { $($methods:tt)* }) => {
        $crate::app_server::method::methods!(@each $sender $call; $($methods)*);
    };
    (@each $sender:ident $call:ident; $(
        $(#[doc = $doc:literal])*
        $name:ident $method:literal $(($($params:tt)+))? $(-> $result:ty)?;
    )*) => {$(
        $(#[doc = $doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct $name;

        $crate::app_server::method::methods!(@method $sender $call $name $method $(($($params)+))?);

        $(
            impl $crate::app_server::method::Request for $name {
                type Result = $result;
            }
        )?
    )*};
    (@method $sender:ident $call:ident $name:ident $method:literal (box $params:ty)) => {
        impl $crate::app_server::method::Method for $name {
            const NAME: &'static str = $method;
            type Sender = $crate::app_server::side::$sender;
            type Params = $params;
            type Call = $call;

            #[inline]
            fn call(params: $params) -> $call {
                $call::$name(Box::new(params))
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
