// A list of books as people type or paste it: one book on a line, its parts apart by semicolons or tabs. Pure.

/** Ten or thirteen digits, the last of ten perhaps an X, with dashes or spaces between them. */
function isISBN(text) {
  const digits = text.replace(/[\s-]/g, "");
  return /^(?:\d{9}[\dXx]|97[89]\d{10})$/.test(digits);
}

/** The books of a text: `[{ title?, author?, isbn? }]`, without the lines that say nothing. */
export function booksOf(text) {
  return text.split(/\r\n|\n|\r/).map(bookOf).filter(Boolean);
}

function bookOf(line) {
  const parts = line.split(/[;\t]/).map((part) => part.trim());
  const isbn = parts.find(isISBN);
  const [title, author] = parts.filter((part) => part !== isbn);
  const book = Object.fromEntries(Object.entries({ title, author, isbn }).filter(([, value]) => value));
  return book.title || book.isbn ? book : null;
}
