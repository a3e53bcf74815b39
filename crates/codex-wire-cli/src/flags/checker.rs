//! The flags that say what to check inputs against, and how strictly.

use anstream::ColorChoice;
use clap::Args;
use codex_wire_base::Protocol;
use codex_wire_check::{Options, Writer};
use codex_wire_schema::Profile;

use crate::flags::limits::LimitFlags;
use crate::flags::rule_levels::LevelFlags;
use crate::flags::values::{profile, protocol, writer};
use crate::resolve_release;

/// What to check inputs against, and how strictly.
#[derive(Clone, Debug, Args)]
pub(crate) struct CheckerFlags {
    /// The protocol; inferred from each input if not given
    #[arg(long, short, value_parser = protocol())]
    pub(crate) protocol: Option<Protocol>,

    /// The release, such as 0.44.0, 0.145 or latest; inferred from each input if not given
    ///
    /// For a range, such as 0.140..0.150, 0.140.. or ..0.150, the release of each input is inferred among those in it.
    /// `codex-wire releases PROTOCOL` lists the releases that changed the protocol. A release
    /// between two of them has the protocol of the earlier one.
    #[arg(long, short)]
    pub(crate) release: Option<String>,

    /// How strict to be: unknown fields are warnings (known), unknown kinds and values too (open), or all
    /// of these are errors (exact) [default: known]
    ///
    /// `exact` also requires the fields that an app-server always writes, though its schema lets them be left out.
    #[arg(long, value_parser = profile())]
    pub(crate) profile: Option<Profile>,

    /// Check only what this side wrote, in recordings of both directions; `hook` is the client of the
    /// protocol `hooks`
    #[arg(long, value_parser = writer())]
    pub(crate) side: Option<Writer>,

    #[command(flatten)]
    pub(crate) levels: LevelFlags,
}

impl CheckerFlags {
    /// The options of a checker with these flags.
    ///
    /// # Errors
    /// When there is no such release.
    pub(crate) fn options(
        &self,
        limits: &LimitFlags,
        color: ColorChoice,
    ) -> anyhow::Result<Options> {
        let mut options = Options::new();
        options.protocol = self.protocol;
        if let Some(text) = &self.release {
            let choice = resolve_release::choice(self.protocol, text, color)?;
            resolve_release::limit(&mut options, choice);
        }
        options.profile = self.profile.unwrap_or(Profile::Known);
        options.levels = self.levels.levels();
        options.limits = limits.limits();
        options.side = self.side;
        options.show_values = limits.show_values;
        Ok(options)
    }
}
