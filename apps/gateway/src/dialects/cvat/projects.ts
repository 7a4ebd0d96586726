import { project } from '@reticle/contracts/dialects/cvat/records'
import { pageAnswer, recordAnswer, type Translations } from '../dialect.ts'

export const projects: Translations = {
  listProjects: pageAnswer(project),
  createProject: recordAnswer(project),
  getProject: recordAnswer(project),
  updateProject: recordAnswer(project),
}
