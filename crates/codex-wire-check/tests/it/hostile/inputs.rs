//! Inputs that are made to hurt. Each has a size, so that what it costs can be compared with
//! what one of another size costs.

/// An input that is made to hurt.
#[derive(Clone, Copy)]
pub(crate) struct Hostile {
    pub(crate) name: &'static str,
    /// The protocol and the release it is checked as.
    pub(crate) of: (&'static str, &'static str),
    /// Makes it: so many of what hurts.
    pub(crate) make: fn(usize) -> Vec<u8>,
    /// How many are tried. Of twice as many it is held that they cost twice as much.
    pub(crate) size: usize,
}

const EXEC: (&str, &str) = ("exec", "0.169.0");
const CORE: (&str, &str) = ("core", "0.40.0");
const SERVER: (&str, &str) = ("app-server", "0.125.0");

/// All of them.
pub(crate) const ALL: &[Hostile] = &[
    Hostile {
        name: "wrong_events_in_an_event",
        of: CORE,
        make: wrong_events,
        size: 2_000,
    },
    Hostile {
        name: "wrong_items_in_an_item",
        of: EXEC,
        make: wrong_items,
        size: 20_000,
    },
    Hostile {
        name: "any_json_beside_a_fault",
        of: EXEC,
        make: any_json,
        size: 1_000_000,
    },
    Hostile {
        name: "small_objects_beside_a_fault",
        of: EXEC,
        make: small_objects,
        size: 100_000,
    },
    Hostile {
        name: "a_name_of_backslashes",
        of: EXEC,
        make: backslashes,
        size: 100_000,
    },
    Hostile {
        name: "unknown_members_and_a_duplicate_key",
        of: EXEC,
        make: unknown_members,
        size: 10_000,
    },
    Hostile {
        name: "duplicate_keys",
        of: EXEC,
        make: duplicate_keys,
        size: 20_000,
    },
    Hostile {
        name: "numbers_beyond_all",
        of: EXEC,
        make: numbers,
        size: 50_000,
    },
    Hostile {
        name: "duplicate_keys_below_a_long_one",
        of: EXEC,
        make: duplicates_below,
        size: 5_000,
    },
    Hostile {
        name: "duplicate_keys_far_down",
        of: EXEC,
        make: duplicates_far_down,
        size: 5_000,
    },
    Hostile {
        name: "numbers_below_a_long_name",
        of: EXEC,
        make: numbers_below,
        size: 5_000,
    },
    Hostile {
        name: "long_ids_of_items",
        of: EXEC,
        make: long_items,
        size: 60,
    },
    Hostile {
        name: "long_ids_of_requests",
        of: SERVER,
        make: long_requests,
        size: 60,
    },
    Hostile {
        name: "long_ids_of_the_app_server",
        of: SERVER,
        make: long_server_items,
        size: 60,
    },
    Hostile {
        name: "long_ids_of_calls",
        of: CORE,
        make: long_calls,
        size: 60,
    },
    Hostile {
        name: "outputs_of_running_calls",
        of: CORE,
        make: outputs,
        size: 100,
    },
    Hostile {
        name: "long_texts_where_names_belong",
        of: EXEC,
        make: long_names,
        size: 60,
    },
    Hostile {
        name: "wrong_lines",
        of: EXEC,
        make: wrong_lines,
        size: 4_000,
    },
    Hostile {
        name: "lines_of_wrong_members",
        of: EXEC,
        make: wrong_members,
        size: 2_000,
    },
    Hostile {
        name: "lines_of_unknown_members",
        of: EXEC,
        make: unknown_lines,
        size: 4_000,
    },
    Hostile {
        name: "lines_of_unknown_kinds",
        of: EXEC,
        make: unknown_kinds,
        size: 4_000,
    },
    Hostile {
        name: "wrong_lines_of_core",
        of: CORE,
        make: wrong_core,
        size: 4_000,
    },
    Hostile {
        name: "wrong_lines_of_the_app_server",
        of: SERVER,
        make: wrong_server,
        size: 4_000,
    },
    Hostile {
        name: "lines_that_are_not_json",
        of: EXEC,
        make: no_json,
        size: 4_000,
    },
    Hostile {
        name: "blank_lines",
        of: EXEC,
        make: blank,
        size: 20_000,
    },
];

/// What is right, as a measure of what the others cost: short lines, and a line of small values.
pub(crate) const RIGHT: &[Hostile] = &[
    Hostile {
        name: "right_lines",
        of: EXEC,
        make: conforming,
        size: 20_000,
    },
    Hostile {
        name: "a_right_line_of_numbers",
        of: EXEC,
        make: right_numbers,
        size: 1_000_000,
    },
    Hostile {
        name: "right_lines_of_core",
        of: CORE,
        make: right_core,
        size: 20_000,
    },
    Hostile {
        name: "right_events_in_an_event",
        of: CORE,
        make: right_events,
        size: 2_000,
    },
    Hostile {
        name: "right_lines_of_the_app_server",
        of: SERVER,
        make: right_server,
        size: 20_000,
    },
];

impl Hostile {
    /// Whether it is one line that grows, so that what it takes may grow with it.
    pub(crate) fn is_one_line(&self) -> bool {
        let lines = |times| {
            (self.make)(times)
                .iter()
                .filter(|byte| **byte == b'\n')
                .count()
        };
        lines(2) == lines(3)
    }
}

/// Right lines of exec.
pub(crate) fn conforming(lines: usize) -> Vec<u8> {
    let mut out =
        b"{\"type\":\"thread.started\",\"thread_id\":\"t\"}\n{\"type\":\"turn.started\"}\n"
            .to_vec();
    for line in 0..lines {
        let text = format!(
            "{{\"type\":\"item.completed\",\"item\":{{\"id\":\"item_{line}\",\"type\":\"agent_message\",\"text\":\"It is done.\"}}}}\n"
        );
        out.extend_from_slice(text.as_bytes());
    }
    out
}

/// A line of exec with this beside its tag.
fn started(member: &str) -> Vec<u8> {
    format!("{{\"type\":\"turn.started\",{member}}}\n").into_bytes()
}

/// Elements of an array or members of an object.
fn listed(times: usize, one: impl Fn(usize) -> String) -> String {
    let all: Vec<String> = (0..times).map(one).collect();
    all.join(",")
}

fn wrong_events(times: usize) -> Vec<u8> {
    events(times, r#"{"type":"turn_diff","unified_diff":1}"#)
}

fn right_events(times: usize) -> Vec<u8> {
    events(times, r#"{"type":"turn_diff","unified_diff":""}"#)
}

fn events(times: usize, event: &str) -> Vec<u8> {
    let events = listed(times, |_| event.to_owned());
    format!(
        "{{\"id\":\"\",\"msg\":{{\"type\":\"session_configured\",\"session_id\":\"s\",\"model\":\"m\",\
         \"history_log_id\":1,\"history_entry_count\":0,\"initial_messages\":[{events}],\
         \"rollout_path\":\"/r\"}}}}\n"
    )
    .into_bytes()
}

fn wrong_items(times: usize) -> Vec<u8> {
    let items = listed(times, |_| "{}".to_owned());
    format!(
        "{{\"type\":\"item.completed\",\"item\":{{\"id\":\"item_0\",\"type\":\"todo_list\",\"items\":[{items}]}}}}\n"
    )
    .into_bytes()
}

/// A call with these arguments, and a status that no release has.
fn call(arguments: &str) -> Vec<u8> {
    format!(
        "{{\"type\":\"item.completed\",\"item\":{{\"id\":\"item_0\",\"type\":\"mcp_tool_call\",\"server\":\"s\",\
         \"tool\":\"t\",\"arguments\":{arguments},\"result\":null,\"error\":null,\"status\":\"wrong\"}}}}\n"
    )
    .into_bytes()
}

fn any_json(times: usize) -> Vec<u8> {
    call(&format!("[1{}]", ",1".repeat(times)))
}

fn right_numbers(times: usize) -> Vec<u8> {
    let call = format!(
        "{{\"type\":\"item.started\",\"item\":{{\"id\":\"item_0\",\"type\":\"mcp_tool_call\",\"server\":\"s\",\
         \"tool\":\"t\",\"arguments\":[1{}],\"result\":null,\"error\":null,\"status\":\"in_progress\"}}}}",
        ",1".repeat(times)
    );
    lines(1, |_| call.clone())
}

fn small_objects(times: usize) -> Vec<u8> {
    call(&format!("[{{\"a\":1}}{}]", ",{\"a\":1}".repeat(times)))
}

fn backslashes(times: usize) -> Vec<u8> {
    started(&format!("\"{}\":1", r"\\".repeat(times)))
}

fn unknown_members(times: usize) -> Vec<u8> {
    let members = listed(times, |number| format!("\"k{number}\":1"));
    started(&format!("{members},\"k0\":2"))
}

fn duplicate_keys(times: usize) -> Vec<u8> {
    started(&listed(times, |number| {
        format!("\"k{number}\":1,\"k{number}\":2")
    }))
}

fn numbers(times: usize) -> Vec<u8> {
    started(&format!(
        "\"x\":[{}]",
        listed(times, |_| "1e999".to_owned())
    ))
}

fn long_name() -> String {
    "k".repeat(100_000)
}

fn duplicates_below(times: usize) -> Vec<u8> {
    let objects = listed(times, |_| r#"{"a":1,"a":2}"#.to_owned());
    started(&format!("\"{}\":[{objects}]", long_name()))
}

fn duplicates_far_down(times: usize) -> Vec<u8> {
    let objects = listed(times, |_| r#"{"a":1,"a":2}"#.to_owned());
    let name = "k".repeat(200);
    let down = format!("{{\"{name}\":").repeat(100);
    started(&format!("\"x\":{down}[{objects}]{}", "}".repeat(100)))
}

fn numbers_below(times: usize) -> Vec<u8> {
    let numbers = listed(times, |_| "1e999".to_owned());
    started(&format!("\"{}\":[{numbers}]", long_name()))
}

/// Lines that have an id of their own each, of 100,000 bytes.
fn long_ids(times: usize, line: impl Fn(&str) -> String) -> Vec<u8> {
    let mut out = Vec::new();
    for number in 0..times {
        let id = format!("{number}-{}", "i".repeat(100_000));
        out.extend_from_slice(line(&id).as_bytes());
    }
    out
}

fn long_items(times: usize) -> Vec<u8> {
    let mut out =
        b"{\"type\":\"thread.started\",\"thread_id\":\"t\"}\n{\"type\":\"turn.started\"}\n"
            .to_vec();
    out.extend(long_ids(times, |id| {
        let item = |status: &str, code: &str| {
            format!(
                "{{\"id\":\"{id}\",\"type\":\"command_execution\",\"command\":\"ls\",\
                 \"aggregated_output\":\"\",\"exit_code\":{code},\"status\":\"{status}\"}}"
            )
        };
        let begun = item("in_progress", "null");
        let done = item("completed", "0");
        format!(
            "{{\"type\":\"item.started\",\"item\":{begun}}}\n{{\"type\":\"item.completed\",\"item\":{done}}}\n"
        )
    }));
    out
}

fn long_requests(times: usize) -> Vec<u8> {
    long_ids(times, |id| {
        format!(
            "{{\"id\":\"{id}\",\"method\":\"thread/archive\",\"params\":{{\"threadId\":\"{id}\"}}}}\n"
        )
    })
}

fn long_server_items(times: usize) -> Vec<u8> {
    long_ids(times, |id| {
        let params = format!(
            "{{\"item\":{{\"type\":\"agentMessage\",\"id\":\"{id}\",\"text\":\"\",\"phase\":null,\
             \"memoryCitation\":null}},\"threadId\":\"{id}\",\"turnId\":\"{id}\"}}"
        );
        let asked = format!(
            "{{\"id\":1,\"method\":\"item/fileChange/requestApproval\",\"params\":{{\"itemId\":\"{id}\",\
             \"threadId\":\"{id}\",\"turnId\":\"{id}\"}}}}"
        );
        format!("{{\"method\":\"item/started\",\"params\":{params}}}\n{asked}\n")
    })
}

fn long_calls(times: usize) -> Vec<u8> {
    long_ids(times, |id| {
        let begun = format!(
            "{{\"id\":\"{id}\",\"msg\":{{\"type\":\"exec_command_begin\",\"call_id\":\"{id}\",\
             \"command\":[\"ls\"],\"cwd\":\"/\",\"parsed_cmd\":[]}}}}"
        );
        let said = format!("{{\"id\":\"{id}\",\"op\":{{\"type\":\"user_input\",\"items\":[]}}}}");
        format!("{said}\n{begun}\n")
    })
}

/// Calls that write and never end.
fn outputs(times: usize) -> Vec<u8> {
    let chunk = "AAAA".repeat(25_000);
    let mut out = Vec::new();
    for id in 0..times {
        let lines = format!(
            "{{\"id\":\"1\",\"msg\":{{\"type\":\"exec_command_begin\",\"call_id\":\"{id}\",\
             \"command\":[\"ls\"],\"cwd\":\"/\",\"parsed_cmd\":[]}}}}\n\
             {{\"id\":\"1\",\"msg\":{{\"type\":\"exec_command_output_delta\",\"call_id\":\"{id}\",\
             \"stream\":\"stdout\",\"chunk\":\"{chunk}\"}}}}\n"
        );
        out.extend_from_slice(lines.as_bytes());
    }
    out
}

fn long_names(times: usize) -> Vec<u8> {
    long_ids(times, |id| {
        format!(
            "{{\"type\":\"item.started\",\"item\":{{\"id\":\"{id}\",\"type\":\"{id}\",\"{id}\":[\"{id}\"]}}}}\n"
        )
    })
}

/// So many lines of exec, behind a right beginning.
fn lines(times: usize, line: impl Fn(usize) -> String) -> Vec<u8> {
    let mut out = conforming(0);
    for number in 0..times {
        out.extend_from_slice(line(number).as_bytes());
        out.push(b'\n');
    }
    out
}

/// Each line has a member of the wrong type.
fn wrong_lines(times: usize) -> Vec<u8> {
    lines(times, |number| {
        format!(
            "{{\"type\":\"item.completed\",\"item\":{{\"id\":\"item_{number}\",\"type\":\"agent_message\",\"text\":1}}}}"
        )
    })
}

/// Each line has many wrong members.
fn wrong_members(times: usize) -> Vec<u8> {
    lines(times, |number| {
        format!(
            "{{\"type\":\"item.completed\",\"item\":{{\"id\":\"item_{number}\",\"type\":\"command_execution\",\
             \"command\":1,\"aggregated_output\":2,\"exit_code\":\"3\",\"status\":\"wrong\",\"x\":4}}}}"
        )
    })
}

/// Each line has an undeclared member.
fn unknown_lines(times: usize) -> Vec<u8> {
    lines(times, |number| {
        format!(
            "{{\"type\":\"item.completed\",\"item\":{{\"id\":\"item_{number}\",\"type\":\"agent_message\",\"text\":\"\",\
             \"x\":1}}}}"
        )
    })
}

/// Each line is of an undeclared kind.
fn unknown_kinds(times: usize) -> Vec<u8> {
    lines(times, |number| format!("{{\"type\":\"kind_{number}\"}}"))
}

fn wrong_core(times: usize) -> Vec<u8> {
    core("1").repeat(times).into_bytes()
}

fn right_core(times: usize) -> Vec<u8> {
    let mut out = events(0, "");
    out.extend_from_slice(
        b"{\"id\":\"1\",\"msg\":{\"type\":\"task_started\",\"model_context_window\":1}}\n",
    );
    out.extend(core("\"done\"").repeat(times).into_bytes());
    out
}

fn core(delta: &str) -> String {
    format!("{{\"id\":\"1\",\"msg\":{{\"type\":\"agent_message_delta\",\"delta\":{delta}}}}}\n")
}

fn wrong_server(times: usize) -> Vec<u8> {
    server("1").repeat(times).into_bytes()
}

fn right_server(times: usize) -> Vec<u8> {
    server("\"done\"").repeat(times).into_bytes()
}

fn server(delta: &str) -> String {
    format!(
        "{{\"method\":\"item/agentMessage/delta\",\"params\":{{\"threadId\":\"t\",\"turnId\":\"u\",\
         \"itemId\":\"i\",\"delta\":{delta}}}}}\n"
    )
}

fn no_json(times: usize) -> Vec<u8> {
    lines(times, |number| format!("{{\"type\": what {number}"))
}

fn blank(times: usize) -> Vec<u8> {
    lines(times, |_| String::new())
}
