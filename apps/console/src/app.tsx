import { type ComponentType, lazy, Suspense } from 'react'
import { Redirect, Route, Switch, useLocation } from 'wouter'
import { Layout } from './shell/layout.tsx'
import { OrganizationProvider } from './shell/organization.tsx'
import { useSelf } from './shell/session.tsx'
import { SignIn } from './shell/sign-in.tsx'
import { Boundary } from './ui/boundary.tsx'
import { Failure } from './ui/failure.tsx'
import { Loading } from './ui/loading.tsx'
import { Toasts } from './ui/toasts.tsx'

const viewer = () => import('./viewer/viewer.tsx').then(({ Viewer }) => page(Viewer))

/** Every page with its address; each is fetched when it is first looked at. */
const pages: Record<string, ComponentType> = {
  '/projects': lazy(() => import('./projects/projects.tsx').then(({ Projects }) => page(Projects))),
  '/requests': lazy(() => import('./requests/requests.tsx').then(({ Requests }) => page(Requests))),
  '/requests/:rq_id': lazy(() =>
    import('./requests/request-page.tsx').then(({ RequestPage }) => page(RequestPage)),
  ),
  '/:kinds/:id/files': lazy(() => import('./transfers/files.tsx').then(({ Files }) => page(Files))),
  '/webhooks': lazy(() => import('./webhooks/webhooks.tsx').then(({ Webhooks }) => page(Webhooks))),
  '/webhooks/:id': lazy(() =>
    import('./webhooks/webhook-page.tsx').then(({ WebhookPage }) => page(WebhookPage)),
  ),
  '/people': lazy(() => import('./people/people.tsx').then(({ People }) => page(People))),
  '/people/users': lazy(() => import('./people/users.tsx').then(({ Users }) => page(Users))),
  '/people/organizations/:id/:part?': lazy(() =>
    import('./people/organization-page.tsx').then((room) => page(room.OrganizationPage)),
  ),
  '/invitations/:key': lazy(() =>
    import('./people/invitation-page.tsx').then((room) => page(room.InvitationPage)),
  ),
  '/tokens': lazy(() => import('./tokens/tokens.tsx').then(({ Tokens }) => page(Tokens))),
  '/account': lazy(() => import('./account/account.tsx').then(({ Account }) => page(Account))),
  '/server': lazy(() => import('./server/server.tsx').then(({ Server }) => page(Server))),
  '/tasks/:id/frames/:frame': lazy(viewer),
  '/jobs/:id/frames/:frame': lazy(viewer),
  '/projects/:id/statistics': lazy(() =>
    import('./statistics/statistics-page.tsx').then((room) => page(room.ProjectStatistics)),
  ),
  '/projects/:id/guide': lazy(() =>
    import('./guide/guide-page.tsx').then(({ ProjectGuide }) => page(ProjectGuide)),
  ),
  '/tasks/:id/:tab?': lazy(() =>
    import('./tasks/task-page.tsx').then(({ TaskPage }) => page(TaskPage)),
  ),
  '/jobs/:id/:tab?': lazy(() => import('./jobs/job-page.tsx').then(({ JobPage }) => page(JobPage))),
  '/projects/new': lazy(() =>
    import('./projects/new-project.tsx').then(({ NewProject }) => page(NewProject)),
  ),
  '/projects/:id': lazy(() =>
    import('./projects/project.tsx').then(({ Project }) => page(Project)),
  ),
  '/tasks': lazy(() => import('./tasks/tasks.tsx').then(({ Tasks }) => page(Tasks))),
  '/tasks/new': lazy(() => import('./tasks/new-task.tsx').then(({ NewTask }) => page(NewTask))),
  '/jobs': lazy(() => import('./jobs/jobs.tsx').then(({ Jobs }) => page(Jobs))),
}

/** Those for who has no account yet or cannot sign in; mails lead to them. */
const openPages: Record<string, ComponentType> = {
  '/auth/register': lazy(() =>
    import('./account/register.tsx').then(({ Register }) => page(Register)),
  ),
  '/auth/password/reset': lazy(() =>
    import('./account/password-reset.tsx').then((room) => page(room.PasswordReset)),
  ),
  '/auth/password/reset/confirm': lazy(() =>
    import('./account/password-reset-confirm.tsx').then((room) => page(room.PasswordResetConfirm)),
  ),
  '/auth/email-confirmation': lazy(() =>
    import('./account/email-confirmation.tsx').then((room) => page(room.EmailConfirmation)),
  ),
  '/auth/incorrect-email-confirmation': lazy(() =>
    import('./account/incorrect-email-confirmation.tsx').then((room) =>
      page(room.IncorrectEmailConfirmation),
    ),
  ),
}

/** What `lazy` asks for. */
const page = (component: ComponentType) => ({ default: component })

/** The console: whoever is not signed in is asked to, and comes to the page of the address afterwards. */
export function App() {
  return (
    <OrganizationProvider>
      <Toasts>
        <Boundary>
          <Suspense fallback={<Loading />}>
            <Switch>
              {routesOf(openPages)}
              <Route>
                <Signed />
              </Route>
            </Switch>
          </Suspense>
        </Boundary>
      </Toasts>
    </OrganizationProvider>
  )
}

const routesOf = (pages: Record<string, ComponentType>) =>
  Object.entries(pages).map(([path, Page]) => <Route key={path} path={path} component={Page} />)

function Signed() {
  const { data: self, error, refetch } = useSelf()
  const [path] = useLocation()
  if (error) return <Failure error={error} onRetry={() => void refetch()} />
  if (self === undefined) return <Loading />
  if (self === null) return <SignIn />
  return (
    <Layout self={self}>
      <Boundary key={path.replace(/\/frames\/[^/]*$/, '')}>
        <Suspense fallback={<Loading />}>
          <Switch>
            {routesOf(pages)}
            <Route path="/">
              <Redirect to="/projects" replace />
            </Route>
            <Route>
              <NotFound />
            </Route>
          </Switch>
        </Suspense>
      </Boundary>
    </Layout>
  )
}

function NotFound() {
  return (
    <main>
      <h1>There is no such page</h1>
      <p>The address may have been shortened on its way. What there is stands in the navigation.</p>
    </main>
  )
}
