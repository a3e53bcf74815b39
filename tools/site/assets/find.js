// Finds parts of protocols by words: what `codex-wire find` does, over the index that the site has of the same graph.
// A test holds the two equal. It runs in pages and in Node.
"use strict";
(function (exports) {
  const WHOLE = 0, IN_NAME = 1, TEXT = 2;
  const KINDS = ["message", "kind", "member", "value", "type"];
  // Further words are ignored, as in the program.
  const MOST_WORDS = 8;

  // A text without case and without what divides words.
  function plain(text) {
    return text.replace(/[_-]/g, "").toLowerCase();
  }

  function bits(words, names) {
    let whole = 0, within = 0;
    for (const name of names) {
      for (let bit = 0; bit < words.length; bit++) {
        if (name === words[bit]) whole |= 1 << bit;
        if (name.includes(words[bit])) within |= 1 << bit;
      }
    }
    return [whole, within];
  }

  // Releases are compared as numbers: a pre-release comes before its release.
  const parsed = new Map();
  function numbers(release) {
    let found = parsed.get(release);
    if (!found) {
      const [core, alpha] = release.split("-alpha.");
      found = [...core.split(".").map(Number), alpha === undefined ? Infinity : Number(alpha)];
      parsed.set(release, found);
    }
    return found;
  }
  function compare(a, b) {
    const [one, other] = [numbers(a), numbers(b)];
    for (let at = 0; at < one.length; at++) {
      if (one[at] !== other[at]) return one[at] < other[at] ? -1 : 1;
    }
    return 0;
  }

  // The words, without a release among them, and that release as a link has it, or null. The program takes it so, too.
  function divided(text) {
    const isRelease = (word) => /^(rust-)?v?\d+\.\d+(\.\d+)?$/.test(word);
    const words = text.split(/\s+/).filter((word) => word);
    const release = words.find(isRelease);
    const others = words.filter((word) => !isRelease(word)).join(" ");
    return { text: others, release: release === undefined ? null : release.replace(/^(rust-)?v?/, "") };
  }
  // Whether a range has a release; of `0.142` it is the newest that begins so.
  function has([since, until], release) {
    const whole = release.split(".").length < 3 ? release + ".9999" : release;
    return !(since && compare(whole, since) < 0) && !(until && compare(whole, until) > 0);
  }

  // The releases that two ranges share; null if there are none.
  function both(one, other) {
    if (!one || !other) return null;
    const since = !one[0] || (other[0] && compare(one[0], other[0]) < 0) ? other[0] : one[0];
    const until = !one[1] || (other[1] && compare(other[1], one[1]) < 0) ? other[1] : one[1];
    return since && until && compare(since, until) > 0 ? null : [since, until];
  }

  // As links have them.
  function escaped(anchor) {
    return anchor.replace(/[%"<>#`]/g, (c) => "%" + c.charCodeAt(0).toString(16).toUpperCase());
  }

  class Family {
    constructor(data, sets) {
      this.data = data;
      this.definitions = data.owners.length - data.sets.length;
      this.sets = sets;
      this.owners = data.owners.map(plain);
      this.parts = data.parts.map(([kind, name, from, pointer, kinds, bounds, owner, anchor]) => ({
        kind: KINDS[kind], name, from, pointer: pointer === 0 ? "/" + name : pointer, kinds: kinds || [],
        bounds: bounds === 0 ? [null, null] : bounds, owner: owner === 0 ? data.owners[from] : owner,
        anchor: anchor === 0 ? name : anchor, about: "", plain: plain(name), text: null,
      }));
      this.edges = data.edges.map(([to, from, pointer, kinds, bounds, names]) => ({
        to, from, pointer, kinds: kinds || [], bounds: bounds === 0 ? [null, null] : bounds, names: names.map(plain),
      }));
      this.to = data.owners.map(() => []);
      this.edges.forEach((edge, at) => this.to[edge.to].push(at));
    }

    messageSet(owner) {
      return owner < this.definitions ? -1 : this.data.sets[owner - this.definitions];
    }

    // The page of a part, with its anchor.
    linkOf({ kind, name, from, anchor }) {
      const folder = `protocol/${this.data.name}/`;
      if (kind === "message") return `${folder}messages/${name}.html`;
      const set = this.messageSet(from);
      const page = set < 0 ? `${folder}types/${this.data.owners[from]}.html` : `${folder}sets/${this.sets[set][0]}.html`;
      return kind === "type" || !anchor ? page : `${page}#${anchor}`;
    }

    // The shortest ways from messages to a part on which all wanted words stand.
    waysUp(part, wanted, own, pick) {
      const states = [{ owner: part.from, words: own | (wanted ? this.ownerMarks[part.from][pick] : 0), via: -1, edge: -1 }];
      const seen = new Set();
      const found = [];
      for (let at = 0; at < states.length; at++) {
        const { owner, words } = states[at];
        const set = this.messageSet(owner);
        if (set >= 0) {
          if ((words & wanted) === wanted) {
            const place = this.place(set, states, at, part);
            if (place) found.push(place);
          }
          continue;
        }
        for (const index of this.to[owner]) {
          const from = this.edges[index].from;
          const more = wanted ? this.edgeMarks[index][pick] | this.ownerMarks[from][pick] : 0;
          const next = words | more;
          if (this.messageSet(from) < 0) {
            const key = from * 256 + next;
            if (seen.has(key)) continue;
            seen.add(key);
          }
          states.push({ owner: from, words: next, via: at, edge: index });
        }
      }
      return found;
    }

    place(set, states, at, last) {
      let pointer = "", bounds = [null, null];
      const kinds = [];
      const take = (way) => {
        pointer += way.pointer;
        kinds.push(...way.kinds);
        bounds = both(bounds, way.bounds);
        return bounds !== null;
      };
      while (states[at].via >= 0) {
        if (!take(this.edges[states[at].edge])) return null;
        at = states[at].via;
      }
      return take(last) ? { set, kinds, pointer, bounds, message: kinds[0] || "" } : null;
    }

    // The shortest way of each message, sorted.
    sorted(places) {
      const best = new Map();
      for (const place of places) {
        const key = place.set + " " + place.message;
        if (!best.has(key)) best.set(key, place);
      }
      const depth = (place) => place.pointer.split("/").length - 1;
      const set = (place) => this.sets[place.set];
      return [...best.values()]
        .sort((a, b) => a.set - b.set || (a.message < b.message ? -1 : a.message > b.message ? 1 : 0))
        .sort((a, b) => set(b)[2] - set(a)[2] || set(a)[3] - set(b)[3] || depth(a) - depth(b));
    }

    find(words, fit, found) {
      const all = (1 << words.length) - 1;
      for (const part of this.parts) {
        if (found.has(part)) continue;
        const [whole, within] = bits(words, [part.plain]);
        let places = null;
        if (fit === WHOLE && whole) places = this.waysUp(part, all, whole, 0);
        if (fit === IN_NAME && within) places = this.waysUp(part, all, within, 1);
        if (fit === TEXT && within !== all) {
          part.text = part.text || plain(part.name + " " + part.owner + " " + part.about);
          if (words.every((word) => part.text.includes(word))) places = this.waysUp(part, 0, 0, 0);
        }
        if (places && (places.length || fit === TEXT)) found.set(part, { part, family: this, fit, places: this.sorted(places) });
      }
    }

    mark(words) {
      this.ownerMarks = this.owners.map((name) => bits(words, [name]));
      this.edgeMarks = this.edges.map((edge) => bits(words, edge.names));
    }
  }

  class Index {
    constructor(data) {
      this.sets = data.sets;
      this.deep = data.deep;
      this.families = data.families.map((family) => new Family(family, data.sets));
      this.pages = data.pages.map(([kind, title, link]) => (
        { kind, title, about: "", link, plain: plain(title), text: plain(title) }
      ));
      this.hasTexts = false;
    }

    // The documentation of all parts and pages. Without it, they are found by their names alone.
    addTexts({ families, pages }) {
      families.forEach((texts, at) => texts.forEach((about, part) => {
        this.families[at].parts[part].about = about;
        this.families[at].parts[part].text = null;
      }));
      pages.forEach((about, at) => {
        const page = this.pages[at];
        page.about = about;
        page.text = plain(page.title + " " + about);
      });
      this.hasTexts = true;
    }

    // The parts that all words name, the best first; not all of them, if `enough` fit better than the others.
    find(text, enough = Infinity) {
      const words = text.split(/\s+/).map(plain).filter((word) => word).slice(0, MOST_WORDS);
      if (!words.length) return [];
      for (const family of this.families) family.mark(words);
      const found = new Map();
      for (const fit of [WHOLE, IN_NAME, TEXT]) {
        // What only the documentation says is of interest where no name fits.
        if (fit === TEXT && found.size) break;
        for (const family of this.families) family.find(words, fit, found);
        if (found.size >= enough) break;
      }
      const rank = new Map();
      let number = 0;
      for (const family of this.families) for (const part of family.parts) rank.set(part, number++);
      const key = (hit) => {
        const first = hit.places[0];
        const current = first ? this.sets[first.set][2] : false;
        const depth = first ? first.pointer.split("/").length - 1 : Infinity;
        return [hit.fit, current ? 0 : 1, KINDS.indexOf(hit.part.kind), depth, rank.get(hit.part)];
      };
      const keyed = [...found.values()].map((hit) => [key(hit), hit]);
      keyed.sort(([a], [b]) => {
        for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return a[at] < b[at] ? -1 : 1;
        return 0;
      });
      return keyed.map(([, hit]) => hit);
    }

    // Rules, faults, scenarios and guides with all words, those with them in their title first.
    findPages(text) {
      const words = text.split(/\s+/).map(plain).filter((word) => word);
      if (!words.length) return [];
      const has = (page) => words.every((word) => page.text.includes(word));
      const named = (page) => words.every((word) => page.plain.includes(word));
      return this.pages.filter(has).sort((a, b) => named(b) - named(a));
    }

    // Where a hit is shown: in its message if that is shown so deep, else where it is described.
    linkOf(hit) {
      const place = hit.places[0];
      const isPart = hit.part.kind === "member";
      if (place && isPart && place.message && place.kinds.length === 1) {
        const members = place.pointer.split("/").filter((name) => name && name !== "*").length;
        if (members <= this.deep) {
          const anchor = escaped(place.pointer.replace(/[\s]/g, "_"));
          return `protocol/${hit.family.data.name}/messages/${place.message}.html#${anchor}`;
        }
      }
      return hit.family.linkOf(hit.part);
    }
  }

  exports.Index = Index;
  exports.compareReleases = compare;
  exports.divided = divided;
  exports.hasRelease = has;
})(typeof module === "undefined" ? (window.codexWire = window.codexWire || {}) : module.exports);
