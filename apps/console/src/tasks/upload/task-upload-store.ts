import type { UploadStore } from '@reticle/sdk'
import { clearUploadStore, createUploadStore } from '../../api/upload-store.ts'

const keyPrefixOf = (taskId: number) => `reticle.upload.${taskId} `

/** Returns the store of the upload progress of a task. */
export const uploadStoreOf = (taskId: number): UploadStore => createUploadStore(keyPrefixOf(taskId))

/** Deletes the upload progress of a task that was deleted or starts again. */
export const clearUploadsOf = (taskId: number): void => clearUploadStore(keyPrefixOf(taskId))
