// What a person chose, kept on this device if it lets us.

const PREFIX = "board.";

export const memory = {
  read(name) {
    try {
      return JSON.parse(localStorage.getItem(PREFIX + name));
    } catch {
      return null;
    }
  },
  write(name, value) {
    try {
      if (value == null) localStorage.removeItem(PREFIX + name);
      else localStorage.setItem(PREFIX + name, JSON.stringify(value));
    } catch {
      // A private window or a full disk: the board works without a memory.
    }
  },
};
