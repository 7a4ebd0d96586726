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
}

/** What `lazy` asks for. */
const page = (component: ComponentType) => ({ default: component })

/** The console: whoever is not signed in is asked to, and comes to the page of the address afterwards. */
export function App() {
  return (
    <OrganizationProvider>
      <Toasts>
        <Signed />
      </Toasts>
    </OrganizationProvider>
  )
}

function Signed() {
  const { data: self, error, refetch } = useSelf()
  const [path] = useLocation()
  if (error) return <Failure error={error} onRetry={() => void refetch()} />
  if (self === undefined) return <Loading />
  if (self === null) return <SignIn />
  return (
    <Layout self={self}>
      <Boundary key={path}>
        <Suspense fallback={<Loading />}>
          <Switch>
            {Object.entries(pages).map(([path, Page]) => (
              <Route key={path} path={path} component={Page} />
            ))}
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
