// simdjson over the corpora of a folder: a walk to the tag of each line and no further, and the
// whole tree. Usage: simdjson FOLDER ROUNDS; prints a line of JSON per contestant and corpus.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <time.h>

#include <simdjson.h>

using namespace simdjson;

namespace {

// A file, with the padding that simdjson reads beyond a line, and where its lines are.
struct Lines {
  padded_string text;
  std::vector<std::string_view> lines;

  explicit Lines(std::string_view path) : text(padded_string::load(path)) {
    std::string_view rest = text;
    while (!rest.empty()) {
      size_t end = rest.find('\n');
      lines.push_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }

  // How many bytes may be read from the start of a line on.
  size_t readable(std::string_view line) const {
    return text.size() + SIMDJSON_PADDING - size_t(line.data() - text.data());
  }
};

struct Part {
  Lines lines, wrong, broken;
};

using Accepts = std::function<bool(const Lines &, std::string_view)>;

size_t count(const Lines &lines, const Accepts &accepts) {
  size_t accepted = 0;
  for (std::string_view line : lines.lines) accepted += accepts(lines, line);
  return accepted;
}

double processor_seconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return double(now.tv_sec) + double(now.tv_nsec) * 1e-9;
}

// What must not be optimised away.
volatile size_t seen = 0;

} // namespace

int main(int, char **arguments) {
  std::string folder = arguments[1];
  int rounds = std::stoi(arguments[2]);
  dom::parser list;
  ondemand::parser walker;
  dom::parser builder;
  for (dom::element corpus : list.load(folder + "/corpora.json").get_array()) {
    std::vector<std::string_view> tag;
    for (dom::element name : corpus["tag"].get_array()) tag.push_back(name.get_string());
    std::vector<Part> parts;
    for (dom::element part : corpus["parts"].get_array()) {
      auto load = [&](const char *file) { return Lines(part[file].get_string().value()); };
      parts.push_back(Part{load("lines"), load("wrong"), load("broken")});
    }
    Accepts walk = [&](const Lines &lines, std::string_view line) {
      ondemand::document document;
      if (walker.iterate(line.data(), line.size(), lines.readable(line)).get(document)) return false;
      std::string_view kind;
      auto found = tag.size() == 1 ? document[tag[0]].get_string().get(kind)
                                   : document[tag[0]][tag[1]].get_string().get(kind);
      if (found) return false;
      seen = seen + kind.size();
      return !kind.empty();
    };
    Accepts tree = [&](const Lines &, std::string_view line) {
      // The padding is there: the next line, or that of the text.
      dom::element root;
      return builder.parse(line.data(), line.size(), false).get(root) == SUCCESS;
    };
    for (auto [name, accepts] : {std::pair{"walk to the tag", walk}, std::pair{"tree", tree}}) {
      auto sum = [&](Lines Part::*member) {
        size_t accepted = 0;
        for (const Part &part : parts) accepted += count(part.*member, accepts);
        return accepted;
      };
      size_t accepted = sum(&Part::lines);
      double best = 1e9, all = 0;
      // A small corpus is read again for half a second.
      for (int round = 0; round < rounds || all < 0.5; ++round) {
        double start = processor_seconds();
        sum(&Part::lines);
        double took = processor_seconds() - start;
        best = std::min(best, took);
        all += took;
      }
      std::string_view corpus_name = corpus["name"].get_string();
      std::printf("{\"contestant\":\"C++: simdjson, %s\",\"corpus\":\"%.*s\",\"validates\":false,"
                  "\"seconds\":%.9f,\"accepted\":%zu,\"wrong\":%zu,\"broken\":%zu}\n",
                  name, int(corpus_name.size()), corpus_name.data(), best, accepted,
                  sum(&Part::wrong), sum(&Part::broken));
    }
  }
  std::fprintf(stderr, "%s\n", get_active_implementation()->name().c_str());
}
