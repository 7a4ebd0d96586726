import type { UploadStore } from '@reticle/sdk'

/**
 * Returns a store of upload progress in the browser, so that the same files resume even after the page was closed.
 */
export function notesAt(place: string): UploadStore {
  return {
    get: (key) => localStorage.getItem(place + key),
    set: (key, value) => keep(place + key, value),
    delete: (key) => localStorage.removeItem(place + key),
  }
}

/** Store for uploads that do not belong to a task. */
export const keptUploads = notesAt('reticle.upload ')

export function forgetNotesAt(place: string): void {
  const keys = Array.from(localStorage, (_, index) => localStorage.key(index))
  for (const key of keys) if (key?.startsWith(place)) localStorage.removeItem(key)
}

/** When the storage is full, progress is not stored and the part is sent again after an interruption. */
function keep(key: string, value: string): void {
  try {
    localStorage.setItem(key, value)
  } catch {
    localStorage.removeItem(key)
  }
}
