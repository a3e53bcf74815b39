// What every page has: the search field. The index is fetched when it is first needed, as a script, because pages of
// a folder may not fetch anything else.
"use strict";
(function () {
  const root = document.currentScript.dataset.root;
  const box = document.querySelector(".find");
  const input = document.getElementById("site-find");
  let loading = null;
  box.hidden = false;
  document.documentElement.classList.add("js");

  function script(path) {
    return new Promise((done, failed) => {
      const element = document.createElement("script");
      element.src = root + "assets/" + path;
      // In the order in which they are asked for, whichever comes first: each uses those before it.
      element.async = false;
      element.onload = done;
      element.onerror = () => failed(new Error(path + " is not there"));
      document.head.append(element);
    });
  }

  // The search, with all that it needs. Documentation comes behind: names find nearly everything.
  function search() {
    loading = loading || Promise.all(["find.js", "index.js", "search.js"].map(script))
      .then(() => window.codexWire.search(input, document.getElementById("site-found"), root))
      .then((addTexts) => { script("texts.js").then(addTexts); })
      // The next try loads it again.
      .catch((error) => { loading = null; throw error; });
    return loading;
  }

  input.addEventListener("focus", search);
  input.addEventListener("pointerenter", search);
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.closest("input, select, textarea, [contenteditable]");
    if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      input.focus();
      input.select();
    }
  });
  // A recorded message is copied as it was written: in one line.
  for (const example of document.querySelectorAll("details.example")) {
    const line = example.querySelector(".wire pre");
    if (!line) continue;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy the line";
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(line.textContent);
        button.textContent = "Copied";
        setTimeout(() => { button.textContent = "Copy the line"; }, 2000);
      } catch {
        // Without a clipboard the line is selected.
        line.parentElement.open = true;
        getSelection().selectAllChildren(line);
      }
    });
    example.querySelector("pre").before(button);
  }
  for (const link of document.querySelectorAll("a.query")) {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      input.value = link.dataset.query;
      input.focus();
      search().then(() => input.dispatchEvent(new Event("input")));
    });
  }
})();
