import type { Project } from '@reticle/contracts/rest/projects'

/** A project as a service answers it: links are paths. */
export const project: Project = {
  url: '/projects/7',
  id: 7,
  name: 'Street scenes',
  owner: { url: '/users/3', id: 3, username: 'anna', first_name: 'Anna', last_name: 'Lind' },
  assignee: null,
  assignee_updated_date: null,
  status: 'annotation',
  labels: [],
  bug_tracker: '',
  guide_id: null,
  task_subsets: [],
  dimension: null,
  created_date: '2026-03-01T08:00:00.000Z',
  updated_date: '2026-03-01T09:00:00.000Z',
  organization: null,
  organization_id: null,
  source_storage: null,
  target_storage: null,
  tasks: { count: 0, url: '/tasks?project_id=7' },
}
