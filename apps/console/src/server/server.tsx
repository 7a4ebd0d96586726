import { ApiError, type Format } from '@reticle/sdk'
import { useQuery } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { useAnswer } from '../api/queries.ts'
import { isAdministrator } from '../api/roles.ts'
import { useSelf } from '../api/session.ts'
import { Failure, Loading } from '../ui/feedback.tsx'
import { Page } from '../ui/page.tsx'
import { checksOf, type PartHealth } from './checks.ts'
import './server.css'

/** Written by the build (`licences.ts`); missing when the pages are served from sources. */
const licences = document.querySelector('link[rel=license]')?.getAttribute('href')

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
              <a href={licences}>Licences of the console</a>
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
              The export dialog shows what each format keeps, converts and drops. Programs can read{' '}
              <a href="/api/docs#listFormatLosses">the same table</a>.
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

/** Renders a table of health checks; administrators also see the time and the reason of a failure. */
function HealthTable({ hasDetails }: { hasDetails: boolean }) {
  const { data, error, refetch } = useChecks(hasDetails)
  if (error) return <Failure error={error} onRetry={() => void refetch()} />
  if (!data) return <Loading />
  return (
    <table className="figures" aria-labelledby="health">
      <thead>
        <tr>
          <th scope="col">Part</th>
          <th scope="col">State</th>
          {hasDetails && (
            <th scope="col" className="number">
              Duration
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {data.map((check) => (
          <tr key={check.name}>
            <td>{check.name}</td>
            <td>
              <HealthState check={check} />
            </td>
            {hasDetails && <td className="number">{check.took_ms} ms</td>}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function HealthState({ check: { isWell, reason } }: { check: PartHealth }) {
  if (isWell) return <span className="works">works</span>
  return (
    <>
      <span className="fails">fails</span> {reason}
    </>
  )
}

/**
 * Queries the health checks every ten seconds. An unhealthy server responds 503 with the same body, which is not an
 * error here.
 */
function useChecks(details: boolean) {
  return useQuery({
    queryKey: ['getHealth', details],
    queryFn: ({ signal }) =>
      api.getHealth({ details }, { signal, retries: 0 }).then(checksOf, (error: unknown) => {
        const checks = error instanceof ApiError && error.status === 503 && checksOf(error.body)
        if (checks && checks.length > 0) return checks
        throw error
      }),
    refetchInterval: 10_000,
  })
}

const number = new Intl.NumberFormat()

/** Renders a table of the effective limits, with the names of the API. */
function LimitTable() {
  const { data, error, refetch } = useAnswer(api.getLimits, {})
  if (error) return <Failure error={error} onRetry={() => void refetch()} />
  if (!data) return <Loading />
  return (
    <table className="figures" aria-labelledby="limits">
      <tbody>
        {Object.entries(data).map(([name, value]) => (
          <tr key={name}>
            <th scope="row">{name.replaceAll('_', ' ')}</th>
            <td className="number">{number.format(value)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Renders a table of the supported formats, for import and export. */
function FormatTable() {
  const { data, error, refetch } = useAnswer(api.listFormats, {})
  if (error) return <Failure error={error} onRetry={() => void refetch()} />
  if (!data) return <Loading />
  const names = (all: Format[]) =>
    new Set(all.filter(({ enabled }) => enabled).map(({ name }) => name))
  const [read, written] = [names(data.importers), names(data.exporters)]
  const all = new Map([...data.importers, ...data.exporters].map((one) => [one.name, one]))
  return (
    <table className="figures" aria-labelledby="formats">
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col" className="short">
            Import
          </th>
          <th scope="col" className="short">
            Export
          </th>
          <th scope="col" className="short extra">
            Files
          </th>
          <th scope="col" className="extra">
            Holds
          </th>
        </tr>
      </thead>
      <tbody>
        {[...all.values()].map(({ name, ext, kinds }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{read.has(name) ? 'yes' : '–'}</td>
            <td>{written.has(name) ? 'yes' : '–'}</td>
            <td className="extra">{ext}</td>
            <td className="extra">{kinds.join(', ')}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
