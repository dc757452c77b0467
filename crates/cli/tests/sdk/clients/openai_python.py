"""The OpenAI SDK for Python, through Chat Completions and through Responses."""

import openai
from cells import CITY, FACE, ORIGIN, QUESTION, SHAPE, STEP, WEATHER, called, compact, run
from pydantic import BaseModel

client = openai.OpenAI(base_url=f"{ORIGIN}/v1", api_key="anything")


class City(BaseModel):
    city: str
    people: int


def user(text):
    return {"role": "user", "content": text}


def function(name, parameters):
    return {"type": "function", "function": {"name": name, "parameters": parameters}}


class Chat:
    def ask(self, model, messages=None, **more):
        return client.chat.completions.create(model=model, messages=messages or [user(QUESTION)], **more)

    def plain(self):
        answer = self.ask("good")
        assert answer.choices[0].finish_reason == "stop" and answer.usage.total_tokens > 0
        return answer.choices[0].message.content

    def streamed(self, model="good"):
        text, finish = "", None
        for chunk in self.ask(model, stream=True):
            for choice in chunk.choices:
                text += choice.delta.content or ""
                finish = choice.finish_reason or finish
        return text if finish == "stop" else f"{text} [ended with {finish}]"

    def turns(self, model, tool, results, say):
        """Calls tools until the model speaks."""
        messages, calls = [user(WEATHER)], []
        for _ in range(15):
            message = say(model, messages, [tool])
            if not message.tool_calls:
                return " + ".join(calls) + f" -> {message.content}"
            messages.append(message.model_dump(exclude_none=True, exclude={"parsed"}))
            for call in message.tool_calls:
                calls.append(called(call.function.name, call.function.arguments))
                messages.append({"role": "tool", "tool_call_id": call.id, "content": results})
        return "no end"

    def whole(self, model, messages, tools):
        return self.ask(model, messages, tools=tools).choices[0].message

    def in_pieces(self, model, messages, tools):
        with client.chat.completions.stream(model=model, messages=messages, tools=tools) as stream:
            return stream.get_final_completion().choices[0].message

    def tools(self):
        return self.turns("tool", function("get_weather", CITY), "18 degrees", self.whole)

    def streamed_tools(self):
        return self.turns("tool", function("get_weather", CITY), "18 degrees", self.in_pieces)

    def parallel(self):
        return self.turns("parallel", function("get_weather", CITY), "18 degrees", self.whole)

    def structured(self):
        answer = client.chat.completions.parse(model="shaped", messages=[user(QUESTION)], response_format=City)
        return compact(answer.choices[0].message.parsed.model_dump())

    def refusal(self):
        return f"refused: {self.ask('refusing').choices[0].message.refusal}"

    def cancelled(self):
        stream = self.ask("endless", stream=True)
        for chunk in stream:
            if chunk.choices and chunk.choices[0].delta.content:
                break
        stream.close()
        return "stopped"

    def loop(self):
        return self.turns("agent", function("next_step", STEP), "done", self.whole)


class Responses(Chat):
    def ask(self, model, messages=None, **more):
        return client.responses.create(model=model, input=messages or QUESTION, **more)

    def plain(self):
        answer = self.ask("good")
        assert answer.status == "completed" and answer.usage.total_tokens > 0
        return answer.output_text

    def streamed(self, model="good"):
        text, last = "", None
        for event in self.ask(model, stream=True):
            last = event.type
            if event.type == "response.output_text.delta":
                text += event.delta
        return text if last == "response.completed" else f"{text} [ended with {last}]"

    def turns(self, model, tool, results, say):
        tool = {"type": "function", "strict": False, **tool["function"]}
        items, calls = [user(WEATHER)], []
        for _ in range(15):
            answer = say(model, items, [tool])
            made = [item for item in answer.output if item.type == "function_call"]
            if not made:
                return " + ".join(calls) + f" -> {answer.output_text}"
            items += [item.model_dump(exclude_none=True, exclude={"parsed_arguments"}) for item in answer.output]
            for call in made:
                calls.append(called(call.name, call.arguments))
                items.append({"type": "function_call_output", "call_id": call.call_id, "output": results})
        return "no end"

    def whole(self, model, items, tools):
        return self.ask(model, items, tools=tools)

    def in_pieces(self, model, items, tools):
        with client.responses.stream(model=model, input=items, tools=tools) as stream:
            return stream.get_final_response()

    def structured(self):
        answer = client.responses.parse(model="shaped", input=QUESTION, text_format=City)
        return compact(answer.output_parsed.model_dump())

    def refusal(self):
        parts = [part for item in self.ask("refusing").output if item.type == "message" for part in item.content]
        return " ".join(f"refused: {part.refusal}" for part in parts if part.type == "refusal")

    def cancelled(self):
        stream = self.ask("endless", stream=True)
        for event in stream:
            if event.type == "response.output_text.delta":
                break
        stream.close()
        return "stopped"


face = Chat() if FACE == "chat" else Responses()
run(
    {
        "plain": face.plain,
        "streamed": face.streamed,
        "tools": face.tools,
        "streamed tools": face.streamed_tools,
        "parallel tools": face.parallel,
        "structured": face.structured,
        "bad request": lambda: face.ask("bad"),
        "outage": lambda: face.ask("outage"),
        "rate limit": lambda: face.ask("limited"),
        "refusal": face.refusal,
        "cut": lambda: face.streamed("cut"),
        "ten steps": face.loop,
        "cancelled": face.cancelled,
    }
)
