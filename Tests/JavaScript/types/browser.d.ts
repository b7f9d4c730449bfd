// What browsers have and the compiler's library of this version lacks, and modules that the package takes where they are.

interface Navigator {
  readonly connection?: EventTarget & { saveData?: boolean };
}

interface Array<T> {
  findLast(predicate: (value: T, index: number) => boolean): T | undefined;
}

declare module "react" {
  export const useCallback: any, useEffect: any, useMemo: any, useRef: any, useState: any, useSyncExternalStore: any;
  export const createContext: any, createElement: any, useContext: any;
}

declare module "node:fs/promises" {
  export function readFile(path: string | URL): Promise<Uint8Array>;
}
