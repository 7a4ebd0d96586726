import { pageAnswer, recordAnswer, type Translations } from '../dialect.ts'
import { withKnownFields } from './known-fields.ts'
import { linkedLabels } from './labels.ts'

const project = withKnownFields('project', (record, base) =>
  linkedLabels(record, 'project_id', base),
)

export const projects: Translations = {
  listProjects: pageAnswer(project),
  createProject: recordAnswer(project),
  getProject: recordAnswer(project),
  updateProject: recordAnswer(project),
}
