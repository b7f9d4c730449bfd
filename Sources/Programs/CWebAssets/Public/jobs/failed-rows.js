// The failed rows of an import as a file of this device.

const KEPT_MS = 10_000;

/** Hands a file to the person. */
export function saveFile({ blob, name }) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MS);
}
