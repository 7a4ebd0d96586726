import { task } from '@reticle/contracts/dialects/cvat/records'
import { pageAnswer, recordAnswer, type Translations } from '../dialect.ts'
import { type Words, withWords } from './words.ts'

/** In CVAT a task without jobs has the status annotation. */
const statuses: Words = new Map([['annotation', ['annotation', 'new']]])

export const tasks: Translations = {
  listTasks: {
    ...pageAnswer(task),
    input: (input) => withWords(input, 'status', statuses),
  },
  createTask: recordAnswer(task),
  getTask: recordAnswer(task),
  updateTask: recordAnswer(task),
}
