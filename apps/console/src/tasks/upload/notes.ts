import type { UploadStore } from '@reticle/sdk'

const placeOf = (taskId: number) => `reticle.upload.${taskId} `

/** How far the files of a task are: kept by the browser, so that the page may be closed in between. */
export function notesOf(taskId: number): UploadStore {
  const place = placeOf(taskId)
  return {
    get: (key) => localStorage.getItem(place + key),
    set: (key, value) => keep(place + key, value),
    delete: (key) => localStorage.removeItem(place + key),
  }
}

/** The task is gone, or begun anew. */
export function forgetNotes(taskId: number): void {
  const keys = Array.from(localStorage, (_, index) => localStorage.key(index))
  for (const key of keys) if (key?.startsWith(placeOf(taskId))) localStorage.removeItem(key)
}

/** Without room for a note its part is sent once more after a break, which does no harm. */
function keep(key: string, value: string): void {
  try {
    localStorage.setItem(key, value)
  } catch {
    localStorage.removeItem(key)
  }
}
