// The playground: hands a file to the checker in a worker, and shows the pages that it makes.
//
// Worker and module are fetched when the page opens; afterwards nothing is. The worker is made of a text, because such a
// worker is under the policy of this page, which a worker with an address of its own is not. The pages stand in frames
// without scripts.
"use strict";
(function () {
  const root = document.currentScript.dataset.root;
  const part = (selector) => document.querySelector(".play " + selector);
  const playground = document.querySelector(".play");
  const said = part(".said");
  const running = part(".running");
  const result = part(".result");
  const text = part("textarea");
  const VERDICTS = {
    conforms: ["good", "It conforms"],
    findings: ["bad", "It does not conform"],
    "not-exercised": ["warning", "It holds no messages"],
    unreadable: ["bad", "It is not a transcript"],
  };
  let worker = null;
  let addresses = [];

  playground.hidden = false;

  async function file(path) {
    const answer = await fetch(root + path);
    if (!answer.ok) throw new Error(path + ": " + answer.status);
    return answer;
  }

  async function needed() {
    const [script, module] = await Promise.all([
      file("assets/playground-worker.js").then((answer) => answer.blob()),
      file("playground/checker.wasm").then((answer) => answer.arrayBuffer()).then((bytes) => WebAssembly.compile(bytes)),
    ]);
    const address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
    return { address, module };
  }

  const ready = needed();
  ready.catch((error) => {
    const help = location.protocol === "file:" ? "a browser gives it none from a folder: open the page from a server" : error.message;
    fail("the checker cannot be loaded: " + help);
  });

  function fail(words) {
    said.textContent = words;
    said.className = "said bad";
  }

  function size(bytes) {
    return bytes < 1e6 ? Math.ceil(bytes / 1e3) + " kB" : (bytes / 1e6).toFixed(1) + " MB";
  }

  // Each check has a number: whoever stops it, or begins another one, raises it.
  let current = 0;

  function stop() {
    current += 1;
    if (worker) worker.terminate();
    worker = null;
    running.hidden = true;
  }

  async function check(input, name) {
    stop();
    const own = current;
    forget();
    said.textContent = "";
    said.className = "said";
    const bar = running.querySelector("progress");
    const words = running.querySelector("output");
    const show = (read) => {
      const percent = input.size ? Math.floor((read / input.size) * 100) : 0;
      bar.value = percent;
      words.textContent = name + ": " + percent + " % of " + size(input.size);
    };
    show(0);
    running.hidden = false;
    let parts;
    try {
      parts = await ready;
    } catch {
      running.hidden = true;
      return;
    }
    if (own !== current) return;
    worker = new Worker(parts.address);
    worker.onerror = (event) => {
      stop();
      fail("the checker failed: " + event.message);
    };
    worker.onmessage = ({ data }) => {
      if (data.read !== undefined) return show(data.read);
      stop();
      if (data.failed) return fail("the checker failed, which is a bug or a lack of memory: " + data.failed);
      present(data);
    };
    worker.postMessage({ module: parts.module, file: input, name, mask: part(".mask input").checked });
  }

  // Ends what is shown.
  function forget() {
    result.hidden = true;
    part(".frames").replaceChildren();
    part(".views").replaceChildren();
    for (const address of addresses) URL.revokeObjectURL(address);
    addresses = [];
  }

  function counted(count, one, many) {
    return count.toLocaleString("en") + " " + (count === 1 ? one : many);
  }

  function fact(list, name, value) {
    const term = document.createElement("dt");
    const about = document.createElement("dd");
    term.textContent = name;
    about.textContent = value;
    const pair = document.createElement("div");
    pair.append(term, about);
    list.append(pair);
  }

  // What it was checked against: `{"rollout", "0.169.0"}` is ` to rollout of Codex 0.169.0`.
  function toWhat({ verdict, protocol, releases }) {
    if (!protocol || !["conforms", "findings"].includes(verdict)) return "";
    if (!releases) return ` to ${protocol}`;
    const { since, until } = releases;
    return ` to ${protocol} of Codex ${since === until ? since : `${since} to ${until}`}`;
  }

  // The first findings in the words of the program; all of them stand below.
  function first(findings, count) {
    const list = result.querySelector(".found");
    list.replaceChildren();
    for (const { severity, rule, line, message } of findings) {
      const item = document.createElement("li");
      const [tone, place, code] = ["b", "span", "code"].map((name) => document.createElement(name));
      tone.className = { error: "bad", warning: "warning" }[severity] || "";
      tone.textContent = severity;
      place.className = "hint";
      code.textContent = rule;
      place.append(`line ${line}, `, code);
      item.append(tone, " ", message, " ", place);
      list.append(item);
    }
    if (findings.length && count > findings.length) {
      const more = document.createElement("li");
      more.textContent = `and ${counted(count - findings.length, "more finding", "more findings")}`;
      list.append(more);
    }
    list.hidden = !findings.length;
  }

  function present({ outcome, json, report, session }) {
    const [tone, words] = VERDICTS[outcome.verdict];
    const { error, warning, note } = outcome.counts;
    const found = [[error, "error", "errors"], [warning, "warning", "warnings"], [note, "note", "notes"]];
    const counts = found.filter(([count]) => count > 0).map((count) => counted(...count)).join(", ") || "none";
    result.querySelector("h2").className = tone;
    const verdict = words + toWhat(outcome);
    result.querySelector("h2").textContent = verdict;
    const identity = result.querySelector(".identity");
    identity.replaceChildren();
    fact(identity, "File", outcome.path);
    if (outcome.error) fact(identity, "Why", outcome.error);
    if (outcome.protocol) fact(identity, "Protocol", outcome.protocol);
    if (outcome.releases) {
      const { since, until } = outcome.releases;
      fact(identity, "Releases", since === until ? since : since + " to " + until);
    }
    if (outcome.messages) fact(identity, "Messages", outcome.messages.toLocaleString("en"));
    fact(identity, "Findings", counts);
    first(outcome.first, error + warning + note);
    const views = [];
    if (outcome.verdict !== "unreadable") views.push(["Session", session, "session.html"]);
    views.push(["Findings", report, "findings.html"]);
    for (const [name, page] of views) view(name, page);
    const saved = [...views, ["JSON", json, "report.json"]];
    const links = document.createElement("span");
    links.className = "save";
    links.append("Save: ");
    for (const [name, page, as] of saved) {
      const link = document.createElement("a");
      link.textContent = name;
      link.href = addressOf(page);
      link.download = as;
      links.append(link, " ");
    }
    part(".views").append(links);
    result.hidden = false;
    select(views[0][0]);
    // For those who do not see it.
    said.className = "said hidden";
    said.textContent = verdict + ": " + (outcome.error || "findings: " + counts);
    result.scrollIntoView({ block: "start" });
  }

  function addressOf(page) {
    const address = URL.createObjectURL(page);
    addresses.push(address);
    return address;
  }

  // A page, and the button that shows it.
  function view(name, page) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = name;
    button.addEventListener("click", () => select(name));
    const frame = document.createElement("iframe");
    // No scripts run in it. That it is of this page lets its height be measured.
    frame.setAttribute("sandbox", "allow-same-origin");
    frame.title = name;
    frame.addEventListener("load", () => grow(frame));
    frame.src = addressOf(page);
    part(".views").append(button);
    part(".frames").append(frame);
  }

  // A short page is shown whole, and a long one scrolls in its frame, where its head stays.
  function grow(frame) {
    const page = frame.contentDocument?.documentElement;
    if (!page) return;
    new ResizeObserver(() => {
      if (frame.hidden) return;
      const height = Math.ceil(page.getBoundingClientRect().height) + 2;
      frame.style.height = `min(${height}px, calc(100vh - 5rem))`;
    }).observe(page);
  }

  function select(name) {
    for (const button of part(".views").querySelectorAll("button")) {
      button.setAttribute("aria-pressed", String(button.textContent === name));
    }
    for (const frame of part(".frames").children) frame.hidden = frame.title !== name;
  }

  function dropped(transfer) {
    const [input] = transfer.files;
    if (input) check(input, input.name);
    return Boolean(input);
  }

  part("input[type=file]").addEventListener("change", (event) => {
    dropped(event.target);
    // The same file can be chosen again.
    event.target.value = "";
  });
  part(".check").addEventListener("click", () => check(new Blob([text.value]), "pasted lines"));
  part(".example").addEventListener("click", () => {
    text.value = part(".sample").value;
    check(new Blob([text.value]), "example");
  });
  part(".stop").addEventListener("click", () => {
    stop();
    said.textContent = "stopped";
  });
  document.addEventListener("dragover", (event) => {
    event.preventDefault();
    playground.classList.add("over");
  });
  document.addEventListener("dragleave", () => playground.classList.remove("over"));
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    playground.classList.remove("over");
    if (dropped(event.dataTransfer)) return;
    const lines = event.dataTransfer.getData("text");
    if (lines) check(new Blob([lines]), "dropped lines");
  });
  document.addEventListener("paste", (event) => {
    if (dropped(event.clipboardData)) event.preventDefault();
  });
})();
