//! Errors name the line.

use codex_wire_base::Release;
use codex_wire_replay::script::model::Action;
use codex_wire_replay::script::{ExecRun, Script, Settings, exec};

fn error(text: &str) -> String {
    Script::parse(text).unwrap_err().to_string()
}

#[test]
fn an_error_names_its_line_and_column() {
    let cases = [
        ("", "line 1, column 1: a script has at least one `[[step]]`"),
        (
            "[[step]]\nsay = 1\n",
            "line 2, column 7: invalid type: integer `1`, expected a string",
        ),
        (
            "[[step]]\nsay = 'a'\n\n[[step]]\nrun = 'true'\nexti = 1\n",
            "line 6, column 1: unknown field `exti`, expected one of `run`, `output`, `exit`, `approval`",
        ),
        (
            "[[step]]\nsay = 'a'\nrun = 'b'\n",
            "line 3, column 1: a step does one thing: it has `say` and `run`",
        ),
        (
            "steps = []\n",
            "line 1, column 1: unknown key `steps`, expected `model`, `step` or `turn`",
        ),
        (
            "step = 1\n",
            "line 1, column 8: `step` is a list of tables: write `[[step]]`",
        ),
        (
            "[[step]]\nsay = 'a\n",
            "line 2, column 9: invalid literal string, expected `'`",
        ),
        (
            "[[step]]\nfail = 'a'\n[[step]]\nsay = 'b'\n",
            "line 4, column 1: nothing comes after `fail`",
        ),
        (
            "[[step]]\nhang = false\n",
            "line 2, column 1: `hang` is always `true`",
        ),
        (
            "[[step]]\npatch = 'x'\n",
            "line 2, column 1: a patch is `*** Begin Patch` to `*** End Patch`",
        ),
        (
            "[[step]]\nusage = { input = 1, cached = 2 }\n",
            "line 2, column 1: `cached` is a part of `input`",
        ),
        (
            "[[step]]\nsay = 'a'\n[[step]]\nfail = 'b'\nkind = 'usageLimitExceded'\n",
            "line 4, column 1: no release has the kind of failure `usageLimitExceded`",
        ),
        (
            "[[turn]]\n[[step]]\nsay = 'a'\n",
            "line 1, column 3: a script has `[[step]]` or `[[turn]]`, not both",
        ),
        (
            "[[turn]]\nprompt = 'a'\n",
            "line 2, column 1: unknown key `prompt`, expected `step`",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(error(text), expected, "{text}");
    }
}

/// What is left out of the tokens is at most what is not.
#[test]
fn few_tokens_are_not_refused_for_what_is_left_out() {
    let script = Script::parse("step = [{ usage = { input = 10, output = 2 } }]").unwrap();
    let Action::Usage(usage) = &script.turns[0].steps[0].action else {
        panic!("{script:?}");
    };
    let tokens = usage.usage;
    assert_eq!((tokens.cached, tokens.reasoning), (10, 2));
}

#[test]
fn a_step_without_an_action_names_the_actions() {
    let error = error("[[step]]\noutput = 'a'\n");
    assert!(
        error.starts_with("line 1, column 1: a step has one of `say`, `reason`,"),
        "{error}"
    );
}

#[test]
fn a_release_that_lacks_a_step_is_refused_with_the_line() {
    let text = "[[step]]\nsay = 'a'\n\n[[step]]\nspawn = 'b'\n";
    let script = Script::parse(text).unwrap();
    let play = |release| exec(&script, release, &ExecRun::default(), &Settings::default());
    let error = play(Release::new(0, 80, 0)).unwrap_err().to_string();
    assert_eq!(
        error,
        "line 5, column 1: `spawn` needs 0.92.0 or later, not 0.80.0"
    );
    assert!(play(Release::new(0, 92, 0)).is_ok());
}
