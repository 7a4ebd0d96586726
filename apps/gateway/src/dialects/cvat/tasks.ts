import { pageAnswer, recordAnswer, type Translations } from '../dialect.ts'
import { withKnownFields } from './known-fields.ts'
import { linkedLabels } from './labels.ts'
import { originalChunks, overlapOf } from './videos.ts'
import { type Words, withWords } from './words.ts'

/** A task without jobs is under annotation there. */
const statuses: Words = new Map([['annotation', ['annotation', 'new']]])

/** Their models know no null for the number of a data set. */
const task = withKnownFields('task', ({ data, ...record }, base) => {
  const status = record.status === 'new' ? 'annotation' : record.status
  return {
    ...linkedLabels(record, 'task_id', base),
    ...originalChunks(record),
    status,
    overlap: overlapOf(record),
    ...(data !== null && { data }),
  }
})

export const tasks: Translations = {
  listTasks: {
    ...pageAnswer(task),
    input: (input) => withWords(input, 'status', statuses),
  },
  createTask: recordAnswer(task),
  getTask: recordAnswer(task),
  updateTask: recordAnswer(task),
}
