/** Headings of a table: texts, and after them figures, which are aligned to the right. */
export const TableHead = ({ texts, figures = [] }: { texts: readonly string[]; figures?: readonly string[] }) => (
  <thead>
    <tr>
      {[...texts, ...figures].map((title, index) => (
        <th key={title} scope="col" class={index < texts.length ? undefined : 'number'}>
          {title}
        </th>
      ))}
    </tr>
  </thead>
);
