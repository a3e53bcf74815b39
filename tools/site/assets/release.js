// The slider: shows a page as one release has it. What that release does not have is grey and says so. The release
// stands in the address, and links to other pages of protocols keep it.
"use strict";
(function () {
  const bar = document.querySelector(".release");
  if (!bar) return;
  const releases = bar.dataset.releases.split(" ");
  const slider = bar.querySelector("input[type=range]");
  const field = bar.querySelector(".typed");
  const output = bar.querySelector("output");
  const all = bar.querySelector("button");
  const parts = [...document.querySelectorAll("[data-r]")];
  const examples = [...document.querySelectorAll("details.example")];
  // Where the release stands in the line of each part.
  const lines = [...document.querySelectorAll("svg.line")].map((line) => {
    const now = document.createElementNS(line.namespaceURI, "rect");
    now.setAttribute("class", "now");
    now.setAttribute("width", "1");
    now.setAttribute("height", "1");
    line.append(now);
    return now;
  });
  const firstOpen = examples.map((example) => example.open);

  function numbers(release) {
    const [core, alpha] = release.split("-alpha.");
    return [...core.split(".").map(Number), alpha === undefined ? Infinity : Number(alpha)];
  }
  function before(a, b) {
    const [one, other] = [numbers(a), numbers(b)];
    const at = one.findIndex((number, place) => number !== other[place]);
    return at >= 0 && one[at] < other[at];
  }
  function has(ranges, release) {
    return ranges.split(" ").some((range) => {
      const [since, until] = range.split("..");
      return !(since && before(release, since)) && !(until && before(until, release));
    });
  }

  // Of the examples of a message, the newest one that the release may have written; another kind is another example.
  function chooseExamples(release) {
    const chosen = new Set();
    const done = new Set();
    for (const example of examples) {
      const key = example.closest("section").id + " " + (example.dataset.kind || "");
      if (!before(release, example.dataset.release) && !done.has(key)) {
        done.add(key);
        chosen.add(example);
      }
    }
    const sections = new Set();
    for (const example of examples) {
      const section = example.closest("section").id;
      example.open = chosen.has(example) && !sections.has(section);
      if (example.open) sections.add(section);
      example.classList.toggle("gone", before(release, example.dataset.release));
    }
  }

  function show(release) {
    for (const part of parts) {
      const isGone = release !== null && !has(part.dataset.r, release);
      part.classList.toggle("gone", isGone);
      for (const said of [part, ...part.querySelectorAll(":scope > h2, :scope > .when")]) {
        if (isGone) said.dataset.gone = ` not in ${release}`; else delete said.dataset.gone;
      }
    }
    document.body.classList.toggle("at-release", release !== null);
    if (release === null) {
      examples.forEach((example, at) => { example.open = firstOpen[at]; example.classList.remove("gone"); });
    } else {
      chooseExamples(release);
    }
    field.value = release === null ? "" : release;
    output.textContent = "";
    field.removeAttribute("aria-invalid");
    slider.setAttribute("aria-valuetext", release === null ? "all releases" : release);
    all.disabled = release === null;
    for (const line of lines) line.setAttribute("x", release === null ? "-9" : slider.value);
    keep(release, document);
  }

  // Links to pages with a slider take the release along.
  function keep(release, where) {
    for (const link of where.querySelectorAll("a[href]")) {
      const href = link.getAttribute("href");
      if (/^[a-z]+:|^#/.test(href) || !/(^|\/)(protocol|sets|types|messages)\/|^[^/]*\.html|^\.\./.test(href)) continue;
      if (/(^|\/)(assets|schemas)\//.test(href)) continue;
      const [path, anchor] = href.split("#");
      const bare = path.split("?")[0];
      link.setAttribute("href", bare + (release === null ? "" : `?release=${release}`) + (anchor === undefined ? "" : `#${anchor}`));
    }
  }

  function stated() {
    return new URLSearchParams(location.search).get("release");
  }
  // A release that is not listed speaks as the one before it.
  function nearest(release) {
    let at = -1;
    releases.forEach((listed, index) => { if (!before(release, listed)) at = index; });
    return at;
  }
  function remember(release) {
    const url = new URL(location.href);
    if (release === null) url.searchParams.delete("release"); else url.searchParams.set("release", release);
    try { history.replaceState(null, "", url); } catch { /* A page of a folder may not change its address. */ }
  }

  // What somebody typed, or a link says: a release as it is written out, `0.145` for the newest that begins so, or
  // `latest`. `undefined` if it is none.
  function meant(text) {
    const bare = text.trim().replace(/^(rust-)?v/, "");
    if (bare === "latest") return releases.at(-1);
    if (/^\d+\.\d+$/.test(bare)) return releases.findLast((listed) => listed.startsWith(bare + ".")) || bare + ".0";
    return /^\d+\.\d+\.\d+(-alpha\.\d+)?$/.test(bare) ? bare : undefined;
  }
  // Shows the release that is nearest to the one that is meant, and says so if it is another one.
  function go(release) {
    const at = nearest(release);
    slider.value = String(Math.max(at, 0));
    // A release that is older than the protocol has nothing of it.
    current = at < 0 ? release : releases[at];
    show(current);
    if (release !== current) output.textContent = `${release} speaks as it does`;
  }

  let current = null;
  window.codexWire = window.codexWire || {};
  window.codexWire.keepRelease = (where) => keep(current, where);
  bar.hidden = false;
  slider.max = String(releases.length - 1);
  for (const release of releases.toReversed()) bar.querySelector("datalist").append(new Option(release));
  const wanted = meant(stated() || "");
  if (wanted === undefined) {
    slider.value = slider.max;
    show(null);
  } else {
    go(wanted);
  }
  slider.addEventListener("input", () => {
    current = releases[slider.value];
    show(current);
    remember(current);
  });
  field.addEventListener("change", () => {
    if (!field.value.trim()) return all.click();
    const release = meant(field.value);
    if (release === undefined) {
      field.setAttribute("aria-invalid", "true");
      output.textContent = "not a release: 0.142.0, 0.142 or latest";
      return;
    }
    go(release);
    remember(current);
  });
  // What stands in the field is written over.
  field.addEventListener("focus", () => field.select());
  all.addEventListener("click", () => {
    slider.value = String(releases.length - 1);
    current = null;
    show(null);
    remember(null);
    slider.focus();
  });
})();
