import { type ComponentType, Suspense } from 'react'
import { Redirect, Route, Switch, useLocation } from 'wouter'
import { OrganizationProvider } from './api/organization.tsx'
import { useSelf } from './api/session.ts'
import { openPages, pages } from './pages.ts'
import { Layout } from './shell/layout.tsx'
import { SignIn } from './shell/sign-in.tsx'
import { Boundary, Failure, Loading } from './ui/feedback.tsx'
import { Toasts } from './ui/toasts.tsx'

/**
 * Renders the whole console. Users who are not signed in see the sign-in page first, then the page of the address.
 */
export function App() {
  return (
    <OrganizationProvider>
      <Toasts>
        <Boundary>
          <Suspense fallback={<Loading />}>
            <Switch>
              {routesOf(openPages)}
              <Route>
                <SignedInApp />
              </Route>
            </Switch>
          </Suspense>
        </Boundary>
      </Toasts>
    </OrganizationProvider>
  )
}

const routesOf = (some: Record<string, ComponentType>) =>
  Object.entries(some).map(([path, Page]) => <Route key={path} path={path} component={Page} />)

function SignedInApp() {
  const { data: self, error, refetch } = useSelf()
  const [path] = useLocation()
  if (error) return <Failure error={error} onRetry={() => void refetch()} />
  if (self === undefined) return <Loading />
  if (self === null) return <SignIn />
  return (
    <Layout self={self}>
      {/* the page is kept between frames, with its zoom and focus */}
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
      <h1>Page not found</h1>
      <p>This page does not exist. Check the address, or start from the navigation.</p>
    </main>
  )
}
