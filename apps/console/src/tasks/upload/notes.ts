import type { UploadStore } from '@reticle/sdk'
import { forgetNotesAt, notesAt } from '../../api/upload-notes.ts'

const placeOf = (taskId: number) => `reticle.upload.${taskId} `

/** How far the files of a task are. */
export const notesOf = (taskId: number): UploadStore => notesAt(placeOf(taskId))

/** The task is gone, or begun anew. */
export const forgetNotes = (taskId: number): void => forgetNotesAt(placeOf(taskId))
