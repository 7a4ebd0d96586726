import { type ComponentType, lazy } from 'react'

/** Pages by path; the first match is shown. Each page is loaded on first use. */
export const pages: Record<string, ComponentType> = {
  '/projects': page(async () => (await import('./projects/projects.tsx')).Projects),
  '/projects/new': page(async () => (await import('./projects/new-project.tsx')).NewProject),
  '/projects/:id': page(async () => (await import('./projects/project.tsx')).Project),
  '/projects/:id/statistics': page(
    async () => (await import('./statistics/statistics-page.tsx')).ProjectStatistics,
  ),
  '/projects/:id/guide': page(async () => (await import('./guide/guide-page.tsx')).ProjectGuide),
  '/tasks': page(async () => (await import('./tasks/tasks.tsx')).Tasks),
  '/tasks/new': page(async () => (await import('./tasks/new-task.tsx')).NewTask),
  '/tasks/:id/frames/:frame': page(async () => (await import('./viewer/viewer.tsx')).Viewer),
  '/tasks/:id/:tab?': page(async () => (await import('./tasks/task-page.tsx')).TaskPage),
  '/jobs': page(async () => (await import('./jobs/jobs.tsx')).Jobs),
  '/jobs/:id/frames/:frame': page(async () => (await import('./viewer/viewer.tsx')).Viewer),
  '/jobs/:id/:tab?': page(async () => (await import('./jobs/job-page.tsx')).JobPage),
  '/requests': page(async () => (await import('./requests/requests.tsx')).Requests),
  '/requests/:rq_id': page(async () => (await import('./requests/request-page.tsx')).RequestPage),
  '/webhooks': page(async () => (await import('./webhooks/webhooks.tsx')).Webhooks),
  '/webhooks/:id': page(async () => (await import('./webhooks/webhook-page.tsx')).WebhookPage),
  '/people': page(async () => (await import('./people/people.tsx')).People),
  '/people/users': page(async () => (await import('./people/users.tsx')).Users),
  '/people/organizations/:id/:part?': page(
    async () => (await import('./people/organization-page.tsx')).OrganizationPage,
  ),
  '/invitations/:key': page(
    async () => (await import('./people/invitation-page.tsx')).InvitationPage,
  ),
  '/tokens': page(async () => (await import('./tokens/tokens.tsx')).Tokens),
  '/account': page(async () => (await import('./account/account.tsx')).Account),
  '/server': page(async () => (await import('./server/server.tsx')).Server),
}

/** Pages for users who are not signed in; links in mails lead to some of them. */
export const openPages: Record<string, ComponentType> = {
  '/auth/register': page(async () => (await import('./account/register.tsx')).Register),
  '/auth/password/reset': page(
    async () => (await import('./account/password-reset.tsx')).PasswordReset,
  ),
  '/auth/password/reset/confirm': page(
    async () => (await import('./account/password-reset-confirm.tsx')).PasswordResetConfirm,
  ),
  '/auth/email-confirmation': page(
    async () => (await import('./account/email-confirmation.tsx')).EmailConfirmation,
  ),
  '/auth/incorrect-email-confirmation': page(
    async () =>
      (await import('./account/incorrect-email-confirmation.tsx')).IncorrectEmailConfirmation,
  ),
}

function page(load: () => Promise<ComponentType>): ComponentType {
  return lazy(async () => ({ default: await load() }))
}
