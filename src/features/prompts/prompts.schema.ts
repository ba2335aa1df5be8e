import { z } from 'zod';

const answers = ['allow', 'less', 'deny'] as const;

export const promptsSchema = z.object({
  prompts: z
    .array(
      z.object({
        id: z.string().describe('Id for prompts.answer; no other prompt has it'),
        title: z.string().describe('Who asks for what'),
        text: z.string().describe('What will happen if it is allowed, complete, in several lines'),
        answers: z
          .array(z.object({ answer: z.enum(answers), label: z.string().describe('What its button says') }))
          .describe('The possible answers'),
        on_machine: z
          .boolean()
          .describe('Whether it can be allowed on the machine itself only, because it creates lasting access'),
        opened: z.number().describe('When it was opened, in Unix seconds'),
      }),
    )
    .nullable()
    .describe('The open permission prompt, or an empty list; null: needs the scope admin'),
});

export type PromptsPayload = z.infer<typeof promptsSchema>;

export const promptsAnswerInputSchema = z.object({
  id: z.string().min(1).max(32).describe('Id of the prompt, from the module prompts'),
  answer: z
    .enum(answers)
    .describe('allow counts only from one second after the prompt was opened; less: only part of it'),
});

export type PromptsAnswerInput = z.infer<typeof promptsAnswerInputSchema>;

export const promptsAnswerOutputSchema = z.object({
  id: z.string().describe('Id of the prompt'),
  answer: z.enum(answers).describe('The answer that counted'),
});

export type PromptsAnswer = z.infer<typeof promptsAnswerOutputSchema>;
