import { api } from '../../api/client.ts'
import { useAnswer } from '../../api/queries.ts'
import { Empty } from '../../ui/empty.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Loading } from '../../ui/loading.tsx'
import { FrameGrid } from './frame-grid.tsx'
import { type Place, Tile } from './tile.tsx'

interface Props {
  task: number
  search: string
}

const together = 100
const inputOf = ({ task: task_id, search }: Props, index: number) => ({
  task_id,
  search,
  page: Math.floor(index / together) + 1,
  page_size: together,
})

/** Renders a grid of frames whose file names match a search; pages are loaded when they become visible. */
export function FoundFrames(props: Props) {
  const { data, error } = useAnswer(api.listFrames, inputOf(props, 0), { keeps: true })
  if (error) return <Failure error={error} />
  if (!data) return <Loading />
  if (data.count === 0) return <Empty>No frame has a file name with “{props.search}” in it.</Empty>
  return (
    <>
      <p className="hint" role="status">
        {data.count.toLocaleString()} found
      </p>
      <FrameGrid
        name="Found frames"
        count={data.count}
        tile={(place) => <FoundTile key={place.index} {...props} {...place} />}
      />
    </>
  )
}

function FoundTile({ task, search, ...place }: Props & Place) {
  const input = inputOf({ task, search }, place.index)
  const { data } = useAnswer(api.listFrames, input, { enabled: !place.isWaiting })
  const found = data?.results[place.index % together]
  if (!found) return <li data-index={place.index} aria-busy="true" />
  const src = `/api/tasks/${task}/data?type=preview&number=${found.frame}`
  const href = `/tasks/${task}/frames/${found.frame}`
  return <Tile {...place} number={found.frame} name={found.name} src={src} href={href} />
}
