//! Keys that Codex writes twice in one object, as it does with the `id` of a web search.

use codex_wire::shape::Lifetime;
use codex_wire_program::View;

use super::message::Message;
use super::rpc::dressed;
use super::{Run, Source};
use crate::form::{Form, Spec};
use crate::placement::Bits;
use crate::scan::Doubled;

/// How many keys are remembered: Codex has one, in events of two kinds.
const MOST: usize = 8;

/// How long their names and tags may be.
const LONGEST: usize = 64;

/// What the schema says of a key that stood twice in an item of exec.
#[derive(Debug)]
pub(super) struct Second {
    by: Bits,
    key: String,
    /// The tags of the event and of its item: the schema chooses by nothing else.
    tags: [String; 2],
    life: Option<Lifetime>,
}

impl Run<'_> {
    /// Doubled keys of a message that is right otherwise.
    pub(super) fn doubled_alone(
        &mut self,
        source: &Source<'_>,
        spec: &Spec,
        side: Option<usize>,
        message: &Message<'_>,
        doubled: &[Doubled],
    ) {
        let newest = spec.range(self.possible).until;
        for double in doubled {
            let life = match of_item(spec, message.view, double) {
                Some(tags) => self.known_second(spec, side, message, double, tags),
                None => {
                    let message = dressed(self.call.as_ref(), message.tree());
                    spec.second((side, self.possible), &message, double)
                }
            };
            self.doubled(source, newest, std::slice::from_ref(double), |_| life);
        }
    }

    /// The releases that write a key of an item twice, which is asked of the schema once.
    fn known_second(
        &mut self,
        spec: &Spec,
        side: Option<usize>,
        message: &Message<'_>,
        double: &Doubled,
        tags: [&str; 2],
    ) -> Option<Lifetime> {
        let by = self.possible;
        let fits =
            |known: &&Second| known.by == by && known.key == double.key && known.tags == tags;
        if let Some(known) = self.seconds.iter().find(fits) {
            return known.life;
        }
        let life = spec.second((side, by), message.tree(), double);
        if [double.key.as_str(), tags[0], tags[1]]
            .iter()
            .any(|text| text.len() > LONGEST)
        {
            return life;
        }
        if self.seconds.len() == MOST {
            self.seconds.clear();
        }
        self.seconds.push(Second {
            by,
            key: double.key.clone(),
            tags: tags.map(str::to_owned),
            life,
        });
        life
    }
}

/// The tags of an event of exec and of its item, if that is where a key stands twice.
fn of_item<'a>(spec: &Spec, message: View<'a>, double: &Doubled) -> Option<[&'a str; 2]> {
    let is_item = spec.form == Form::Exec && double.object == "/item";
    let item = message.get("item").filter(|_| is_item)?;
    Some([message.get_str("type")?, item.get_str("type")?])
}
