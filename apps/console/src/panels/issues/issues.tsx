import type { Issue, Job, Task } from '@reticle/sdk'
import { useState } from 'react'
import { Link } from 'wouter'
import { api } from '../../api/client.ts'
import { useAnswer } from '../../api/queries.ts'
import { Choice } from '../../records/filters.tsx'
import { useListState } from '../../records/list-state.ts'
import { Listing, type RecordColumn } from '../../records/listing.tsx'
import { curlOf, Empty } from '../../ui/feedback.tsx'
import { Time } from '../../ui/values.tsx'
import { IssueDialog, IssueState } from './issue-dialog.tsx'
import './issues.css'

const columnsOf = (task: number): readonly RecordColumn<Issue>[] => [
  { title: 'Issue', width: '40%', cell: (issue) => <IssueButton task={task} issue={issue} /> },
  {
    title: 'Frame',
    width: '6rem',
    cell: ({ frame }) => <Link href={`/tasks/${task}/frames/${frame}`}>{frame}</Link>,
  },
  {
    title: 'Job',
    isExtra: true,
    width: '6rem',
    cell: ({ job }) => <Link href={`/jobs/${job}`}>{job}</Link>,
  },
  { title: 'Author', sort: 'owner', isExtra: true, cell: ({ owner }) => owner?.username ?? '–' },
  { title: 'Comments', isExtra: true, width: '6rem', cell: ({ comments }) => comments.count },
  {
    title: 'Updated',
    sort: 'updated_date',
    isExtra: true,
    cell: ({ updated_date }) => <Time value={updated_date} />,
  },
  { title: 'State', sort: 'resolved', cell: (issue) => <IssueState issue={issue} /> },
]

export const IssuesOfTask = ({ task: { id } }: { task: Task }) => (
  <Issues task={id} of={{ task_id: id }} />
)

export const IssuesOfJob = ({ job: { id, task_id, start_frame } }: { job: Job }) => (
  <Issues task={task_id} of={{ job_id: id }} job={id} frame={start_frame} />
)

interface Props {
  task: number
  of: { task_id: number } | { job_id: number }
  /** Job and frame of the example command that creates an issue. */
  job?: number
  frame?: number
}

const states = ['open', 'resolved'] as const

function Issues({ task, of, job = 31, frame = 0 }: Props) {
  const state = useListState().get('state')
  const resolved = state === undefined ? undefined : state === 'resolved'
  return (
    <>
      <div className="filters">
        <Choice name="state" label="State" values={states} />
      </div>
      <Listing
        name="Issues"
        list={api.listIssues}
        input={{ ...of, resolved }}
        isScoped={false}
        columns={columnsOf(task)}
        keyOf={({ id }) => id}
        empty={
          <Empty
            reticle={`reticle issue create "The box is too large" --job ${job} --frame ${frame} --position "[10,10,80,60]"`}
            curl={curlOf(
              '/issues',
              `-H 'Content-Type: application/json' -d '{"job":${job},"frame":${frame},"position":[10,10,80,60],"message":"The box is too large"}'`,
            )}
          >
            No issue {state ? 'is in this state' : 'was raised'}. An issue describes a problem at a
            position in a frame.
          </Empty>
        }
      />
    </>
  )
}

interface IssueButtonProps {
  task: number
  issue: Issue
}

/** Shows the first comment of an issue; a click opens the whole issue. */
function IssueButton({ task, issue }: IssueButtonProps) {
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
