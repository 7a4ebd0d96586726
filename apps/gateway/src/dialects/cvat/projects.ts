import { type Change, pageAnswer, recordAnswer, type Translations } from '../dialect.ts'
import { linkedLabels } from './labels.ts'

const project: Change = (record, base) => linkedLabels(record, 'project_id', base)

export const projects: Translations = {
  listProjects: pageAnswer(project),
  createProject: recordAnswer(project),
  getProject: recordAnswer(project),
  updateProject: recordAnswer(project),
}
