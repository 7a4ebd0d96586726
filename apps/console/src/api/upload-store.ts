import type { UploadStore } from '@reticle/sdk'

/**
 * Returns a store of upload progress in the browser, so that the same files resume even after the page was closed.
 */
export function createUploadStore(prefix: string): UploadStore {
  return {
    get: (key) => localStorage.getItem(prefix + key),
    set: (key, value) => storeItem(prefix + key, value),
    delete: (key) => localStorage.removeItem(prefix + key),
  }
}

/** Store for uploads that do not belong to a task. */
export const sharedUploadStore = createUploadStore('reticle.upload ')

export function clearUploadStore(prefix: string): void {
  const keys = Array.from(localStorage, (_, index) => localStorage.key(index))
  for (const key of keys) if (key?.startsWith(prefix)) localStorage.removeItem(key)
}

/** When the storage is full, progress is not stored and the part is sent again after an interruption. */
function storeItem(key: string, value: string): void {
  try {
    localStorage.setItem(key, value)
  } catch {
    localStorage.removeItem(key)
  }
}
