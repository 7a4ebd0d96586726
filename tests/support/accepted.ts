import type { AnyJson } from './client.ts'

/**
 * Valid query values and bodies by operation. They are needed because an invalid one is refused before a missing right.
 */

const hook = { target_url: 'https://example.org/', events: 'update:task' }

export const bodies: Record<string, AnyJson> = {
  createAccessToken: { name: 'x' },
  createCloudStorage: {
    provider_type: 'AWS_S3_BUCKET',
    resource: 'x',
    display_name: 'x',
    credentials_type: 'ANONYMOUS_ACCESS',
  },
  createComment: { issue: 1, message: 'x' },
  createGuide: { project_id: 1 },
  createIssue: { job: 1, frame: 0, position: [1, 2, 3, 4], message: 'x' },
  createJob: {
    type: 'ground_truth',
    task_id: 1,
    frame_selection_method: 'random_uniform',
    frame_count: 1,
  },
  createOrganization: { slug: 'x' },
  transferOrganization: { user_id: 1 },
  updateMembership: { role: 'worker' },
  createInvitation: { email: 'x@example.org', role: 'worker' },
  createProject: { name: 'x' },
  createTask: { name: 'x' },
  recordEvents: { timestamp: '2026-03-01T10:00:00Z' },
  createWebhook: { ...hook, type: 'project', project_id: 1 },
  replaceWebhook: hook,
  rotateWebhookSecret: { secret: 'x' },
  redeliverMessages: { from: 1, to: 2 },
  updateTaskDataMeta: { deleted_frames: [] },
  updateJobDataMeta: { deleted_frames: [] },
  updateTaskAnnotations: { shapes: [] },
  updateJobAnnotations: { shapes: [] },
  replaceTaskAnnotations: { shapes: [] },
  replaceJobAnnotations: { shapes: [] },
}

export const queries: Record<string, string> = {
  listFrames: '?search=frame',
  getTaskData: '?type=frame&number=0',
  getJobData: '?type=frame&number=0',
  updateTaskAnnotations: '?action=create',
  updateJobAnnotations: '?action=create',
  getJobAnnotationsDiff: '?from=1',
  exportProjectDataset: '?format=COCO%201.0',
  exportTaskDataset: '?format=COCO%201.0',
  exportJobDataset: '?format=COCO%201.0',
  importProjectDataset: '?format=COCO%201.0',
  importTaskAnnotations: '?format=COCO%201.0',
  importJobAnnotations: '?format=COCO%201.0',
}
