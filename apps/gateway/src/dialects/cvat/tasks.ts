import { type Change, pageAnswer, recordAnswer, type Translations } from '../dialect.ts'
import { linkedLabels } from './labels.ts'
import { omitNulls } from './omit.ts'
import { type Words, withWords } from './words.ts'

/** A task without jobs is under annotation there. */
const statuses: Words = new Map([['annotation', ['annotation', 'new']]])

const task: Change = (record, base) => {
  const status = record.status === 'new' ? 'annotation' : record.status
  return omitNulls({ ...linkedLabels(record, 'task_id', base), status }, ['data'])
}

export const tasks: Translations = {
  listTasks: {
    ...pageAnswer(task),
    input: (input) => withWords(input, 'status', statuses),
  },
  createTask: recordAnswer(task),
  getTask: recordAnswer(task),
  updateTask: recordAnswer(task),
}
