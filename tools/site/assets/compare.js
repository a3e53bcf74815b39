// Any release against any other: the changes of all releases between the two, without what was undone in between.
"use strict";
(function (exports) {
  const VERDICTS = ["Breaking", "Maybe breaking", "Not decided", "Compatible"];

  // The changes from one release to a later one: `[release, change]`, oldest first.
  function between(data, protocol, from, to) {
    const { releases, steps } = data.protocols[protocol];
    const at = (release) => releases.indexOf(release);
    let found = [];
    for (const [release, changes] of steps) {
      if (at(release) <= at(from) || at(release) > at(to)) continue;
      for (const change of changes) {
        const [, kind, place, was, is] = change;
        const undone = found.findIndex(([, [, otherKind, otherPlace, otherWas, otherIs]]) => (
          otherPlace === place && data.reversed[otherKind] === kind && otherWas === is && otherIs === was
        ));
        if (undone >= 0) found.splice(undone, 1); else found.push([release, change]);
      }
    }
    return found;
  }
  exports.between = between;
  if (typeof document === "undefined") return;

  const root = "../";
  const form = document.querySelector("form.compare");
  const out = document.getElementById("site-compared");
  const data = window.codexWireChanges;
  const element = (name, className, text) => {
    const made = document.createElement(name);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  };
  const options = (select, values, value) => {
    select.replaceChildren(...values.map((text) => new Option(text, text, false, text === value)));
  };

  function words(into, text) {
    text.split("`").forEach((piece, at) => into.append(at % 2 ? element("code", "", piece) : piece));
  }

  function show() {
    const { protocol, from, to } = form.elements;
    const { releases } = data.protocols[protocol.value];
    let [older, newer] = [from.value, to.value];
    if (releases.indexOf(older) > releases.indexOf(newer)) [older, newer] = [newer, older];
    const found = between(data, protocol.value, older, newer);
    out.replaceChildren();
    const counts = VERDICTS.map((name, verdict) => [found.filter(([, change]) => change[0] === verdict).length, name.toLowerCase()]);
    out.append(element("p", "hint", `From ${older} to ${newer}: ` + (found.length ? counts.filter(([count]) => count).map(([count, name]) => `${count} ${name}`).join(", ") : "nothing changed") + "."));
    VERDICTS.forEach((name, verdict) => {
      const own = found.filter(([, change]) => change[0] === verdict);
      if (!own.length) return;
      const section = element("section", "verdict v" + verdict);
      section.append(element("h2", "", `${name} (${own.length})`));
      const list = element("ul");
      for (const [release, [, , place, , , sentence, reach, page, example]] of own) {
        const row = element("li");
        const code = element("code", "", place);
        if (page) {
          const link = element("a");
          link.href = root + page;
          link.append(code);
          row.append(link);
        } else row.append(code);
        row.append(" ");
        words(row, sentence);
        if (reach !== "`" + place + "`") { row.append(", in "); words(row, reach); }
        row.append(" ");
        const folder = protocol.value;
        const since = element("a", "since", release);
        since.href = `${folder}/${release}.html`;
        row.append(since);
        if (example) {
          const pre = element("pre", "", example);
          pre.tabIndex = 0;
          row.append(pre);
        }
        list.append(row);
      }
      section.append(list);
      out.append(section);
    });
    const url = new URL(location.href);
    url.search = new URLSearchParams({ protocol: protocol.value, from: from.value, to: to.value });
    try { history.replaceState(null, "", url); } catch { /* A page of a folder may not change its address. */ }
  }

  function fill(from, to) {
    const { releases, steps } = data.protocols[form.elements.protocol.value];
    const last = releases[releases.length - 1];
    const newestFirst = [...releases].reverse();
    // What a client of half a year ago meets.
    const before = releases[Math.max(0, releases.indexOf(steps.length > 8 ? steps[steps.length - 8][0] : releases[0]))];
    options(form.elements.from, newestFirst, releases.includes(from) ? from : before);
    options(form.elements.to, newestFirst, releases.includes(to) ? to : last);
  }

  const stated = new URLSearchParams(location.search);
  const protocols = Object.keys(data.protocols);
  const wanted = stated.get("protocol");
  options(form.elements.protocol, protocols, protocols.includes(wanted) ? wanted : "app-server");
  fill(stated.get("from"), stated.get("to"));
  form.hidden = false;
  form.elements.protocol.addEventListener("change", () => { fill(); show(); });
  form.elements.from.addEventListener("change", show);
  form.elements.to.addEventListener("change", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  show();
})(typeof module === "undefined" ? (window.codexWire = window.codexWire || {}) : module.exports);
