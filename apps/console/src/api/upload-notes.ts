import type { UploadStore } from '@reticle/sdk'

/** How far uploads are, kept by the browser: the same files go on where they were, even after the page was closed. */
export function notesAt(place: string): UploadStore {
  return {
    get: (key) => localStorage.getItem(place + key),
    set: (key, value) => keep(place + key, value),
    delete: (key) => localStorage.removeItem(place + key),
  }
}

/** Of uploads that hang on no task of the console. */
export const keptUploads = notesAt('reticle.upload ')

export function forgetNotesAt(place: string): void {
  const keys = Array.from(localStorage, (_, index) => localStorage.key(index))
  for (const key of keys) if (key?.startsWith(place)) localStorage.removeItem(key)
}

/** Without room for a note its part is sent once more after a break, which does no harm. */
function keep(key: string, value: string): void {
  try {
    localStorage.setItem(key, value)
  } catch {
    localStorage.removeItem(key)
  }
}
