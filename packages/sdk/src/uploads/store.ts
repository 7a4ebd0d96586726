/**
 * Where uploads note how far they are, so that another process goes on with them: `localStorage` behind three functions, or
 * `folderStore` of `@reticle/sdk/node`.
 */
export interface UploadStore {
  get(key: string): Promise<string | null | undefined> | string | null | undefined
  set(key: string, value: string): Promise<void> | void
  delete(key: string): Promise<void> | void
}

/** For an upload that nobody goes on with. */
export function memoryStore(): UploadStore {
  const values = new Map<string, string>()
  return {
    get: (key) => values.get(key),
    set: (key, value) => void values.set(key, value),
    delete: (key) => void values.delete(key),
  }
}

/** What is noted of one part of an upload. */
export interface PartState {
  /** Of the collection of files it belongs to: those of an older one are gone. */
  session: string
  /** Everything of it is at the service. */
  is_done?: boolean
  /** Of a form: under which it may be sent once more. */
  idempotency_key?: string
  /** Of a file in pieces: where it is, and what it is called when the upload is finished. */
  path?: string
  filename?: string
}

export interface SessionState {
  session: string
  /** Milliseconds since 1970. */
  started: number
}

/** States of one upload, as JSON under keys of its own. */
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
    /** Nothing of it is needed any more. */
    async forget(): Promise<void> {
      for (const key of used) await store.delete(key)
    },
  }
}
export type States = ReturnType<typeof statesOf>
