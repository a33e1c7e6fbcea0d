// language: the texts of the page. In a text, {key} stands for an argument. Python puts the translations into the page:
// English → the chosen language; none for English.

const TEXTS = JSON.parse(document.getElementById("texts").textContent);

function _(text, values = {}) {
  const words = Object.hasOwn(TEXTS, text) ? TEXTS[text] : text;
  return words.replace(/\{(\w+)\}/g, (mark, key) => (Object.hasOwn(values, key) ? values[key] : mark));
}

// Marks a text that stands in a table. Whoever shows it translates it with _().
const later = (text) => text;

// {n} is the count.
const plural = (count, one, many, values) => _(count === 1 ? one : many, { ...values, n: count.toLocaleString("en-US") });
