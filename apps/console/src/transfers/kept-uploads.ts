import type { UploadStore } from '@reticle/sdk'

/** Where uploads note how far they are: the same file goes on where it was, even after the page was closed. */
export const keptUploads: UploadStore = {
  get: (key) => localStorage.getItem(key),
  set: (key, value) => localStorage.setItem(key, value),
  delete: (key) => localStorage.removeItem(key),
}
