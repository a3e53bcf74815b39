//! The templates.

use minijinja::{AutoEscape, Environment, UndefinedBehavior, Value, escape_formatter};

use crate::Error;
use crate::markdown::escape;

/// The templates of all pages.
pub(crate) struct Templates(Environment<'static>);

const TEMPLATES: [(&str, &str); 14] = [
    ("layout.html", include_str!("../templates/layout.html")),
    ("parts.html", include_str!("../templates/parts.html")),
    ("home.html", include_str!("../templates/home.html")),
    (
        "protocols.html",
        include_str!("../templates/protocols.html"),
    ),
    ("family.html", include_str!("../templates/family.html")),
    ("owner.html", include_str!("../templates/owner.html")),
    ("message.html", include_str!("../templates/message.html")),
    ("guide.html", include_str!("../templates/guide.html")),
    ("guides.html", include_str!("../templates/guides.html")),
    ("compare.html", include_str!("../templates/compare.html")),
    ("clients.html", include_str!("../templates/clients.html")),
    ("badge.svg", include_str!("../templates/badge.svg")),
    (
        "playground.html",
        include_str!("../templates/playground.html"),
    ),
    ("feed.xml", include_str!("../templates/feed.xml")),
];

impl Templates {
    pub(crate) fn new() -> Result<Self, Error> {
        let mut all = Environment::new();
        all.set_auto_escape_callback(|_| AutoEscape::Html);
        // Slashes, of which links are full, may stay as they are.
        all.set_formatter(
            |out, state, value| match value.as_str().filter(|_| !value.is_safe()) {
                Some(text) => Ok(out.write_str(&escape(text))?),
                None => escape_formatter(out, state, value),
            },
        );
        all.set_undefined_behavior(UndefinedBehavior::Strict);
        all.set_trim_blocks(true);
        all.set_lstrip_blocks(true);
        for (template, text) in TEMPLATES {
            all.add_template(template, text)
                .map_err(|source| Error::Template {
                    page: template.to_owned(),
                    template,
                    source,
                })?;
        }
        Ok(Templates(all))
    }

    pub(crate) fn render(
        &self,
        page: &str,
        template: &'static str,
        values: Value,
    ) -> Result<String, Error> {
        let rendered = self.0.get_template(template);
        let rendered = rendered.and_then(|template| template.render(values));
        rendered.map_err(|source| Error::Template {
            page: page.to_owned(),
            template,
            source,
        })
    }
}
