/**
 * Storage of upload states, so that another process can resume: `localStorage` behind three functions, or
 * `folderStore` of `@reticle/sdk/node`.
 */
export interface UploadStore {
  get(key: string): Promise<string | null | undefined> | string | null | undefined
  set(key: string, value: string): Promise<void> | void
  delete(key: string): Promise<void> | void
}

/** Creates a store in memory, for uploads that are not resumed by another process. */
export function memoryStore(): UploadStore {
  const values = new Map<string, string>()
  return {
    get: (key) => values.get(key),
    set: (key, value) => void values.set(key, value),
    delete: (key) => void values.delete(key),
  }
}

/** Stored state of a part of an upload. */
export interface PartState {
  /** Session of the upload. States of an earlier session are invalid. */
  session: string
  /** Whether all bytes are stored at the service. */
  is_done?: boolean
  /** Idempotency key of a form, for a retry. */
  idempotency_key?: string
  /** Path of a file in chunks, and its name in the finished upload. */
  path?: string
  filename?: string
}

export interface SessionState {
  session: string
  /** Milliseconds since 1970. */
  started: number
}

/** Reads and writes the states of one upload, as JSON under its own keys. */
export function statesOf(store: UploadStore, target: string) {
  const keyOf = (part: string) => `reticle-upload ${target} ${part}`
  const used = new Set<string>()
  return {
    async find<T extends object>(part: string): Promise<T | undefined> {
      const key = keyOf(part)
      used.add(key)
      const text = await store.get(key)
      return text ? JSON.parse(text) : undefined
    },
    async note(part: string, state: PartState | SessionState): Promise<void> {
      const key = keyOf(part)
      used.add(key)
      await store.set(key, JSON.stringify(state))
    },
    /** Deletes all states of the upload. */
    async forget(): Promise<void> {
      for (const key of used) await store.delete(key)
    },
  }
}
export type States = ReturnType<typeof statesOf>
