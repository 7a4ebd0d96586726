import type { Issue } from '@reticle/sdk'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { useAnswer } from '../../api/queries.ts'
import { IssueDialog } from './issue-dialog.tsx'

interface Props {
  task: number
  issue: Issue
}

/** Shows the first comment of an issue; a click opens the whole issue. */
export function IssueButton({ task, issue }: Props) {
  const [isOpen, setIsOpen] = useState(false)
  const input = { issue_id: issue.id, page_size: 1, sort: 'id' }
  const { data } = useAnswer(api.listComments, input)
  const first = data?.results[0]?.message ?? `Issue ${issue.id}`
  return (
    <>
      <button type="button" className="plain first-comment" onClick={() => setIsOpen(true)}>
        {first}
      </button>
      {isOpen && <IssueDialog task={task} issue={issue} onClose={() => setIsOpen(false)} />}
    </>
  )
}
