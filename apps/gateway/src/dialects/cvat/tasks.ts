import { pageAnswer, recordAnswer, type Translations } from '../dialect.ts'
import { withKnownFields } from './known-fields.ts'
import { linkedLabels } from './labels.ts'
import { originalChunks, overlapOf } from './videos.ts'
import { type Words, withWords } from './words.ts'

/** In CVAT a task without jobs has the status annotation. */
const statuses: Words = new Map([['annotation', ['annotation', 'new']]])

/** The CVAT model does not allow null for the id of media. */
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
