import { Link, useParams } from 'wouter'
import { Page } from '../ui/page.tsx'
import type { Kind } from './calls.ts'
import { Restore } from './restore.tsx'
import { Transfers } from './transfers.tsx'

const kinds: Record<string, Kind> = { projects: 'project', tasks: 'task', jobs: 'job' }

/** What goes in and out of a project, task or job as files, at an address that can be sent around. */
export function Files() {
  const params = useParams<{ kinds: string; id: string }>()
  const kind = kinds[params.kinds] ?? 'task'
  const id = Number(params.id)
  const name = `${kind} ${id}`
  return (
    <Page
      title={`Files of ${name}`}
      above={<Link href={`/${params.kinds}/${id}`}>Back to the {kind}</Link>}
      actions={kind !== 'job' && <Restore kind={kind} />}
    >
      <Transfers kind={kind} id={id} name={name} />
    </Page>
  )
}
