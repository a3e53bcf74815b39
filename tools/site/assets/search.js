// The list below the search field.
"use strict";
window.codexWire.search = function (input, list, root) {
  const index = new window.codexWire.Index(window.codexWireIndex);
  const SHOWN = 12, PAGES = 5;
  let chosen = -1;
  // The release that stands among the words, or null.
  let release = null;

  function element(name, className, text) {
    const made = document.createElement(name);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  }

  // Releases in words, as on the pages: the first one is named.
  function when([from, to], set) {
    const since = from || set[4];
    const until = to || (set[2] ? null : set[5]);
    if (!until) return `since ${since}`;
    return since === until ? `in ${since} only` : `${since} to ${until}`;
  }

  function option(link, kind) {
    const made = element("a", "hit");
    const [path, anchor] = link.split("#");
    const asked = release !== null && link.startsWith("protocol/") ? `?release=${release}` : "";
    made.href = root + path + asked + (anchor === undefined ? "" : "#" + anchor);
    made.role = "option";
    made.tabIndex = -1;
    made.ariaSelected = "false";
    made.id = "site-hit-" + list.querySelectorAll(".hit").length;
    made.append(element("span", "kind", kind));
    list.append(made);
    return made;
  }

  function ofPart(hit) {
    const { part, places: [place] } = hit;
    const made = option(index.linkOf(hit), part.kind);
    const title = element("span", "title");
    const name = element("code", "", part.kind === "value" ? `${part.owner} = ${part.name}` : part.name);
    if (place && part.kind === "member" && place.kinds.length) {
      title.append(element("code", "", place.kinds.join("/")), " ", element("code", "", place.pointer));
    } else {
      title.append(name);
    }
    made.append(title);
    if (place) {
      const set = index.sets[place.set];
      const lacks = release !== null && !window.codexWire.hasRelease([place.bounds[0] || set[4], place.bounds[1]], release);
      const words = [when(place.bounds, set), lacks ? `not in ${release}` : "", `${set[1]} ${set[1] === "both sides" ? "write" : "writes"} it`, set[0]];
      made.append(element("span", "facts", words.filter(Boolean).join(" · ")));
    }
    const about = part.about.split("\n\n")[0].replace(/[`\n]/g, (c) => (c === "\n" ? " " : ""));
    if (about) made.append(element("span", "about", about));
  }

  function choose(next) {
    const hits = list.querySelectorAll(".hit");
    if (hits[chosen]) hits[chosen].ariaSelected = "false";
    chosen = hits.length ? (next + hits.length) % hits.length : -1;
    if (chosen < 0) return input.removeAttribute("aria-activedescendant");
    hits[chosen].ariaSelected = "true";
    hits[chosen].scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", hits[chosen].id);
  }

  function open(is) {
    list.hidden = !is;
    input.ariaExpanded = String(is);
  }

  function show() {
    const { text, release: named } = window.codexWire.divided(input.value);
    release = named;
    list.replaceChildren();
    chosen = -1;
    if (!text) return open(false);
    if (release !== null) list.append(element("p", "as", `As ${release} speaks: links open with this release.`));
    const hits = index.find(text, SHOWN);
    hits.slice(0, SHOWN).forEach(ofPart);
    for (const page of index.findPages(text).slice(0, PAGES)) {
      const made = option(page.link, page.kind);
      made.append(element("span", "title", page.title), element("span", "about", page.about));
    }
    if (!list.querySelector(".hit")) list.append(element("p", "nothing", index.hasTexts ? `Nothing is named “${text}”.` : "Looking into the documentation …"));
    // The release of the page, unless another one is asked for.
    if (release === null) window.codexWire.keepRelease?.(list);
    open(true);
    choose(0);
  }

  input.addEventListener("input", show);
  input.addEventListener("focus", () => { if (input.value.trim()) show(); });
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") choose(chosen + 1);
    else if (event.key === "ArrowUp") choose(chosen - 1);
    else if (event.key === "Enter") list.querySelectorAll(".hit")[chosen]?.click();
    else if (event.key === "Escape") { open(false); return; }
    else return;
    event.preventDefault();
  });
  list.addEventListener("click", () => open(false));
  document.addEventListener("pointerdown", (event) => {
    if (!event.target.closest(".find")) open(false);
  });
  if (input.value.trim()) show();

  // What is shown is shown again with its documentation; what was chosen stays.
  return () => {
    index.addTexts(window.codexWireTexts);
    if (list.hidden) return;
    const before = chosen;
    show();
    if (before > 0) choose(before);
  };
};
