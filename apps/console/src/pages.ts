import { type ComponentType, lazy } from 'react'

/** Pages by path; the first match is shown. Each page is loaded on first use. */
export const pages: Record<string, ComponentType> = {
  '/projects': lazyPage(async () => (await import('./projects/projects.tsx')).Projects),
  '/projects/new': lazyPage(async () => (await import('./projects/new-project.tsx')).NewProject),
  '/projects/:id': lazyPage(async () => (await import('./projects/project-page.tsx')).ProjectPage),
  '/projects/:id/statistics': lazyPage(
    async () => (await import('./panels/statistics/statistics.tsx')).ProjectStatistics,
  ),
  '/projects/:id/guide': lazyPage(
    async () => (await import('./panels/guide/guide.tsx')).ProjectGuide,
  ),
  '/tasks': lazyPage(async () => (await import('./tasks/tasks.tsx')).Tasks),
  '/tasks/new': lazyPage(async () => (await import('./tasks/new-task.tsx')).NewTask),
  '/tasks/:id/frames/:frame': lazyPage(async () => (await import('./viewer/viewer.tsx')).Viewer),
  '/tasks/:id/:tab?': lazyPage(async () => (await import('./tasks/task-page.tsx')).TaskPage),
  '/jobs': lazyPage(async () => (await import('./jobs/jobs.tsx')).Jobs),
  '/jobs/:id/frames/:frame': lazyPage(async () => (await import('./viewer/viewer.tsx')).Viewer),
  '/jobs/:id/:tab?': lazyPage(async () => (await import('./jobs/job-page.tsx')).JobPage),
  '/requests': lazyPage(async () => (await import('./requests/requests.tsx')).Requests),
  '/requests/:rq_id': lazyPage(
    async () => (await import('./requests/request-page.tsx')).RequestPage,
  ),
  '/webhooks': lazyPage(async () => (await import('./webhooks/webhooks.tsx')).Webhooks),
  '/webhooks/:id': lazyPage(async () => (await import('./webhooks/webhook-page.tsx')).WebhookPage),
  '/people': lazyPage(async () => (await import('./people/people.tsx')).People),
  '/people/users': lazyPage(async () => (await import('./people/users.tsx')).Users),
  '/people/organizations/:id/:part?': lazyPage(
    async () => (await import('./people/organization-page.tsx')).OrganizationPage,
  ),
  '/invitations/:key': lazyPage(
    async () => (await import('./people/invitation-page.tsx')).InvitationPage,
  ),
  '/tokens': lazyPage(async () => (await import('./account/tokens.tsx')).Tokens),
  '/account': lazyPage(async () => (await import('./account/account.tsx')).Account),
  '/server': lazyPage(async () => (await import('./server/server.tsx')).Server),
}

/** Pages without sign-in. Mails link to some of them. */
export const openPages: Record<string, ComponentType> = {
  '/auth/register': lazyPage(async () => (await import('./account/open-pages.tsx')).Register),
  '/auth/password/reset': lazyPage(
    async () => (await import('./account/open-pages.tsx')).PasswordReset,
  ),
  '/auth/password/reset/confirm': lazyPage(
    async () => (await import('./account/open-pages.tsx')).PasswordResetConfirm,
  ),
  '/auth/email-confirmation': lazyPage(
    async () => (await import('./account/open-pages.tsx')).EmailConfirmation,
  ),
  '/auth/incorrect-email-confirmation': lazyPage(
    async () => (await import('./account/open-pages.tsx')).IncorrectEmailConfirmation,
  ),
}

function lazyPage(load: () => Promise<ComponentType>): ComponentType {
  return lazy(async () => ({ default: await load() }))
}
