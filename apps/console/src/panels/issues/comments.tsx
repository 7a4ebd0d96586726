import type { Comment } from '@reticle/sdk'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { useAnswer } from '../../api/queries.ts'
import { Failure } from '../../ui/failure.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Time } from '../../ui/time.tsx'

const perPage = 50

/** Shows the comments of an issue, oldest first, page by page. */
export function Comments({ issue }: { issue: number }) {
  const [page, setPage] = useState(1)
  const input = { issue_id: issue, page, page_size: perPage, sort: 'id' }
  const { data, error } = useAnswer(api.listComments, input, { keeps: true })
  if (error) return <Failure error={error} />
  if (!data) return <Loading />
  return (
    <>
      <ol className="comments" aria-label="Comments">
        {data.results.map((comment) => (
          <Said key={comment.id} comment={comment} />
        ))}
      </ol>
      {data.count > perPage && (
        <p>
          <button type="button" disabled={!data.previous} onClick={() => setPage(page - 1)}>
            Earlier
          </button>{' '}
          <button type="button" disabled={!data.next} onClick={() => setPage(page + 1)}>
            Later
          </button>{' '}
          {data.count} comments
        </p>
      )}
    </>
  )
}

function Said({ comment: { owner, message, created_date } }: { comment: Comment }) {
  return (
    <li>
      <p className="hint">
        {owner?.username ?? 'Somebody who left'}, <Time value={created_date} />
      </p>
      <p className="message">{message}</p>
    </li>
  )
}
