"""chinese: how the search of the Chinese pages splits a text into words.

Chinese has no spaces between words. So the index has each Chinese character and each pair of neighbours, and a query is
split into its pairs by the same rule. No dictionary can then disagree about where a word ends.
"""

import re

from sphinx.search.zh import SearchChinese

_RUN = re.compile(r"[\u3400-\u9fff]+|[^\W\u3400-\u9fff]+")


class Pairs(SearchChinese):
    language_name = "English"  # Sphinx names the stemmer by it: that of the English words among the Chinese
    js_splitter_code = r"""
function splitQuery(query) {
  const runs = query.match(/[\u3400-\u9fff]+|(?:(?![\u3400-\u9fff])[\p{Letter}\p{Number}_])+/gu) || [];
  return runs.flatMap((run) =>
    /[\u3400-\u9fff]/.test(run) && run.length > 1
      ? Array.from({ length: run.length - 1 }, (_, i) => run.slice(i, i + 2))
      : [run]);
}
"""

    def split(self, input: str) -> list[str]:
        words = []
        for run in _RUN.findall(input):
            if "\u3400" <= run[0] <= "\u9fff":
                words += [*run, *(run[i : i + 2] for i in range(len(run) - 1))]
            else:
                self.latin_terms.add(run)
                words.append(run)
        return words

    def word_filter(self, word: str) -> bool:
        return not word.isdigit() and word not in self.stopwords
