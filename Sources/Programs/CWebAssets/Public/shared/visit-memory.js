// What is kept as long as this tab lives, and nowhere else: tokens and the jobs that they open.

const PREFIX = "visit.";

export const visitMemory = {
  read(name) {
    try {
      return JSON.parse(sessionStorage.getItem(PREFIX + name));
    } catch {
      return null;
    }
  },
  /** Returns whether it was kept; the page works without. */
  write(name, value) {
    try {
      if (value == null) sessionStorage.removeItem(PREFIX + name);
      else sessionStorage.setItem(PREFIX + name, JSON.stringify(value));
      return true;
    } catch {
      return false;
    }
  },
};
