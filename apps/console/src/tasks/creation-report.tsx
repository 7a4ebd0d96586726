import type { Task } from '@reticle/sdk'
import { Link } from 'wouter'
import { api } from '../api/client.ts'
import { useAnswer } from '../api/queries.ts'
import { entryTexts } from '../requests/report-rows.ts'
import { requestPath } from '../requests/request-text.ts'
import './creation-report.css'

/**
 * Shows the files that did not become frames, with reasons, or the reason of a failed creation. Only the creator of
 * the task can see it, while the request is kept.
 */
export function CreationReport({ task: { id, size } }: { task: Task }) {
  const { data } = useAnswer(api.listRequests, { action: 'create', task_id: id, page_size: 1 })
  const request = data?.results[0]
  if (!request) return null
  const isFailed = request.status === 'failed' && size === 0
  const texts = isFailed ? [request.message] : request.report ? entryTexts(request.report) : []
  if (texts.length === 0) return null
  return (
    <section className="creation-report" aria-label="Report of the creation" data-failed={isFailed}>
      <p>
        {isFailed
          ? 'No frames could be made of the files.'
          : 'Not all files became frames as they are.'}{' '}
        <Link href={requestPath(request.id)}>See the request</Link>
      </p>
      <ul>
        {texts.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </section>
  )
}
