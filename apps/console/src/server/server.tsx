import { api } from '../api/client.ts'
import { useAnswer } from '../api/queries.ts'
import { isAdministrator } from '../api/roles.ts'
import { useSelf } from '../api/session.ts'
import { Failure } from '../ui/failure.tsx'
import { Loading } from '../ui/loading.tsx'
import { Page } from '../ui/page.tsx'
import { FormatTable } from './format-table.tsx'
import { HealthTable } from './health-table.tsx'
import { LimitTable } from './limit-table.tsx'
import './server.css'

/** Written by the build (`licences.ts`); missing when the pages are served from sources. */
const licences = document.querySelector('link[rel=license]')?.getAttribute('href')

/** Renders the page about the server: version, health, limits and formats. */
export function Server() {
  const self = useSelf().data
  const about = useAnswer(api.getAbout, {})
  return (
    <Page title="Server" actions={<a href="/api/docs">API reference</a>}>
      {about.error && <Failure error={about.error} onRetry={() => void about.refetch()} />}
      {about.data ? (
        <p>
          {about.data.name} {about.data.version}: {about.data.description}
          {licences && (
            <>
              {' '}
              <a href={licences}>Licences of what these pages are made of</a>
            </>
          )}
        </p>
      ) : (
        !about.error && <Loading />
      )}
      <div className="server">
        <div>
          <section aria-labelledby="health">
            <h2 id="health">Health</h2>
            {self && <HealthTable hasDetails={isAdministrator(self)} />}
          </section>
          <section aria-labelledby="formats">
            <h2 id="formats">Formats</h2>
            <p className="hint">
              What each keeps, converts and drops is shown before an export is made; programs ask{' '}
              <a href="/api/docs#listFormatLosses">for the same table</a>.
            </p>
            <FormatTable />
          </section>
        </div>
        <section aria-labelledby="limits">
          <h2 id="limits">Limits</h2>
          <LimitTable />
        </section>
      </div>
    </Page>
  )
}
