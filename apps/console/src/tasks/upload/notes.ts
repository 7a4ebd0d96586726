import type { UploadStore } from '@reticle/sdk'
import { forgetNotesAt, notesAt } from '../../api/upload-notes.ts'

const placeOf = (taskId: number) => `reticle.upload.${taskId} `

/** Returns the store of the upload progress of a task. */
export const notesOf = (taskId: number): UploadStore => notesAt(placeOf(taskId))

/** Deletes the upload progress of a task that was deleted or starts again. */
export const forgetNotes = (taskId: number): void => forgetNotesAt(placeOf(taskId))
